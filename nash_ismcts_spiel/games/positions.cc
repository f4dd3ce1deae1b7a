#include "positions.h"

#include <stdexcept>

namespace py = pybind11;

namespace nash_ismcts {

namespace {

py::object checked(PyObject* result) {
  if (result == nullptr) throw py::error_already_set();
  return py::reinterpret_steal<py::object>(result);
}

// pyspiel's methods by name, made once: calling them is most of what growing costs.
struct Names {
  PyObject* apply_action = PyUnicode_InternFromString("apply_action");
  PyObject* clone = PyUnicode_InternFromString("clone");
  PyObject* child = PyUnicode_InternFromString("child");
  PyObject* current_player = PyUnicode_InternFromString("current_player");
  PyObject* legal_actions = PyUnicode_InternFromString("legal_actions");
  PyObject* observation_string = PyUnicode_InternFromString("observation_string");
};

const Names& names() {
  static const Names made;
  return made;
}

py::object call(const py::object& state, PyObject* method) {
  return checked(PyObject_CallMethodNoArgs(state.ptr(), method));
}

py::object call(const py::object& state, PyObject* method, int64_t argument) {
  return checked(PyObject_CallMethodOneArg(state.ptr(), method, py::int_(argument).ptr()));
}

int64_t integer(const py::object& number) {
  const int64_t value = PyLong_AsLongLong(number.ptr());
  if (value == -1 && PyErr_Occurred() != nullptr) throw py::error_already_set();
  return value;
}

}  // namespace

Positions::Positions(const py::object& initial_state, int32_t num_players, bool counts_moves)
    : num_players_(num_players), counts_moves_(counts_moves) {
  at(initial_state, kUnknown, kUnknown);
}

size_t Positions::Hash::operator()(const std::vector<int32_t>& numbers) const {
  uint64_t hash = 0;
  for (const int32_t number : numbers) {
    hash = (hash ^ static_cast<uint32_t>(number)) * 0x9E3779B97F4A7C15ull;
    hash ^= hash >> 29;
  }
  return static_cast<size_t>(hash);
}

// The position of a state, reached by an edge of a parent; both are kUnknown at the start.
PositionId Positions::at(const py::object& state, PositionId parent, int64_t edge) {
  const int32_t moves = parent == kUnknown ? 0 : places_[parent].moves + 1;
  const auto mover = static_cast<int32_t>(integer(call(state, names().current_player)));
  printed_.clear();
  for (int32_t player = 0; player < num_players_; ++player) {
    const int32_t seen = edge == kUnknown ? kUnknown : sights_after_[edge * num_players_ + player];
    printed_.push_back(seen == kUnknown ? sight_of(state, player, moves) : seen);
  }
  const int32_t board = number_of(checked(PyObject_Str(state.ptr())), 0);
  printed_.push_back(board);
  printed_.push_back(mover);
  printed_.push_back(moves);
  const auto found = known_.find(printed_);
  if (found != known_.end()) return found->second;
  const auto made = static_cast<PositionId>(size());
  known_.emplace(printed_, made);
  const int64_t action = edge == kUnknown ? kUnknown : actions_[edge];
  places_.push_back({py::object(), parent, action, mover, moves, board});
  keep(made, state);
  sights_.insert(sights_.end(), printed_.begin(), printed_.begin() + num_players_);
  return made;
}

void Positions::keep(PositionId position, const py::object& state) {
  if (states_kept_ >= kMaxStates) {
    for (size_t each = 1; each < places_.size(); ++each) places_[each].state = py::object();
    states_kept_ = 0;
  }
  places_[position].state = state;
  ++states_kept_;
}

py::object Positions::state_of(PositionId position) {
  if (places_[position].state) return places_[position].state;
  std::vector<int64_t> actions;
  PositionId kept = position;
  for (; !places_[kept].state; kept = places_[kept].parent) actions.push_back(places_[kept].action);
  const py::object state = call(places_[kept].state, names().clone);
  for (auto action = actions.rbegin(); action != actions.rend(); ++action) {
    call(state, names().apply_action, *action);
  }
  keep(position, state);
  return state;
}

int32_t Positions::sight_of(const py::object& state, int32_t player, int32_t moves) {
  return number_of(call(state, names().observation_string, player), counts_moves_ ? moves : 0);
}

// The number of a printed text, together with a number of moves.
int32_t Positions::number_of(const py::object& text, int32_t moves) {
  Py_ssize_t size = 0;
  const char* data = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
  if (data == nullptr) throw py::error_already_set();
  text_.assign(data, static_cast<size_t>(size));
  text_.append(reinterpret_cast<const char*>(&moves), sizeof(moves));
  const auto found = texts_.find(text_);
  if (found != texts_.end()) return found->second;
  const auto number = static_cast<int32_t>(texts_.size());
  texts_.emplace(text_, number);
  return number;
}

int32_t Positions::num_actions(PositionId position) {
  if (places_[position].first == kUnknown) {
    const py::list legal(call(state_of(position), names().legal_actions));
    Place& place = places_[position];
    place.first = static_cast<int32_t>(actions_.size());
    for (const py::handle action : legal) {
      actions_.push_back(integer(py::reinterpret_borrow<py::object>(action)));
      after_.push_back(kUnknown);
      sights_after_.insert(sights_after_.end(), num_players_, kUnknown);
    }
    place.count = place.missing = static_cast<int32_t>(actions_.size()) - place.first;
  }
  return places_[position].count;
}

py::object Positions::state_after(PositionId position, int64_t edge) {
  if (edge != peeked_edge_) {
    peeked_edge_ = kUnknown;
    peeked_ = call(state_of(position), names().child, actions_[edge]);
    peeked_edge_ = edge;
  }
  return peeked_;
}

int32_t Positions::sight_after(PositionId position, int32_t edge, int32_t player) {
  const int64_t at_edge = static_cast<int64_t>(places_[position].first) + edge;
  if (after_[at_edge] != kUnknown) return sight(after_[at_edge], player);
  int32_t& known = sights_after_[at_edge * num_players_ + player];
  if (known == kUnknown) {
    known = sight_of(state_after(position, at_edge), player, places_[position].moves + 1);
  }
  return known;
}

PositionId Positions::after(PositionId position, int32_t edge) {
  const int64_t at_edge = static_cast<int64_t>(places_[position].first) + edge;
  if (after_[at_edge] == kUnknown) {
    const py::object state = state_after(position, at_edge);
    after_[at_edge] = at(state, position, at_edge);
    Place& place = places_[position];
    if (--place.missing == 0 && position != start() && place.state) {
      place.state = py::object();
      --states_kept_;
    }
  }
  return after_[at_edge];
}

int32_t Positions::edge(PositionId position, int64_t action) {
  for (int32_t edge = 0; edge < num_actions(position); ++edge) {
    if (this->action(position, edge) == action) return edge;
  }
  throw std::invalid_argument("action " + std::to_string(action) + " is not possible here");
}

}  // namespace nash_ismcts
