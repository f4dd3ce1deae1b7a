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
  PyObject* child = PyUnicode_InternFromString("child");
  PyObject* current_player = PyUnicode_InternFromString("current_player");
  PyObject* is_terminal = PyUnicode_InternFromString("is_terminal");
  PyObject* legal_actions = PyUnicode_InternFromString("legal_actions");
  PyObject* move_number = PyUnicode_InternFromString("move_number");
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

std::string text(const py::object& string) {
  Py_ssize_t size = 0;
  const char* data = PyUnicode_AsUTF8AndSize(string.ptr(), &size);
  if (data == nullptr) throw py::error_already_set();
  return {data, static_cast<size_t>(size)};
}

void append(std::string& key, int64_t number) {
  key.append(reinterpret_cast<const char*>(&number), sizeof(number));
}

}  // namespace

Positions::Positions(const py::object& initial_state, int32_t num_players, bool counts_moves)
    : num_players_(num_players), counts_moves_(counts_moves) {
  at(initial_state);
}

PositionId Positions::at(const py::object& state) {
  const bool over = call(state, names().is_terminal).is(py::bool_(true));
  const int32_t mover =
      over ? kOver : static_cast<int32_t>(integer(call(state, names().current_player)));
  const int64_t moves = integer(call(state, names().move_number));
  std::string key = text(checked(PyObject_Str(state.ptr())));
  append(key, mover);
  append(key, moves);
  std::vector<int32_t> sights;
  for (int32_t player = 0; player < num_players_; ++player) {
    std::string shown = text(call(state, names().observation_string, player));
    if (counts_moves_) append(shown, moves);
    sights.push_back(sight_of(shown));
    append(key, sights.back());
  }
  const auto [found, is_new] = known_.emplace(std::move(key), static_cast<PositionId>(size()));
  if (is_new) {
    places_.push_back({state, mover});
    sights_.insert(sights_.end(), sights.begin(), sights.end());
  }
  return found->second;
}

int32_t Positions::sight_of(const std::string& shown) {
  return sight_numbers_.emplace(shown, static_cast<int32_t>(sight_numbers_.size())).first->second;
}

int32_t Positions::num_actions(PositionId position) {
  Place& place = places_[position];
  if (place.first == kUnknown) {
    place.first = static_cast<int32_t>(actions_.size());
    for (const py::handle action : py::list(call(place.state, names().legal_actions))) {
      actions_.push_back(integer(py::reinterpret_borrow<py::object>(action)));
      after_.push_back(kUnknown);
    }
    place.count = place.missing = static_cast<int32_t>(actions_.size()) - place.first;
  }
  return place.count;
}

PositionId Positions::after(PositionId position, int32_t edge) {
  const int32_t at_edge = places_[position].first + edge;
  if (after_[at_edge] == kUnknown) {
    const py::object state = places_[position].state;
    after_[at_edge] = at(call(state, names().child, actions_[at_edge]));
    Place& place = places_[position];  // may have moved
    if (--place.missing == 0) place.state = py::none();
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
