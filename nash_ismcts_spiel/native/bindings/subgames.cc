// Python's door to subgames: checks what comes in, lets other threads run, hands arrays out.

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <atomic>
#include <cmath>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "../solvers/subgame.h"
#include "../solvers/subgame_solver.h"
#include "arrays.h"
#include "bindings.h"
#include "turn.h"

namespace nash_ismcts {
namespace {

using GamePointer = std::shared_ptr<PublicGame>;
using SubgamePointer = std::shared_ptr<Subgame>;

constexpr double kBeliefTolerance = 1e-6;

template <typename T>
py::array_t<T> to_array(const std::vector<T>& values) {
  return py::array_t<T>(static_cast<py::ssize_t>(values.size()), values.data());
}

std::vector<int32_t> read_numbers(const Ints& array, const char* name) {
  if (array.ndim() != 1) throw py::value_error(std::string(name) + " must have one dimension");
  return std::vector<int32_t>(array.data(), array.data() + array.size());
}

GamePointer public_game(const std::shared_ptr<CompiledGraph>& graph, const Ints& states,
                        const Ints& slots) {
  if (graph == nullptr) throw py::type_error("graph must be a CompiledGraph, not None");
  return std::make_shared<PublicGame>(
      make_public_game(graph, read_numbers(states, "states"), read_numbers(slots, "slots")));
}

SubgamePointer subgame(const GamePointer& game, int64_t root, int64_t depth, bool stop_at_chance) {
  if (game == nullptr) throw py::type_error("game must be a PublicGame, not None");
  require_row(root, game->num_states, "public state");
  if (depth < 1) throw py::value_error("depth must be at least 1, not " + std::to_string(depth));
  const auto most = static_cast<int64_t>(game->num_states);  // deeper than any
  const py::gil_scoped_release release;
  return std::make_shared<Subgame>(make_subgame(game, static_cast<int32_t>(root),
                                                static_cast<int32_t>(std::min(depth, most)),
                                                stop_at_chance));
}

SubgameMethod method_named(const std::string& name) {
  if (name == "cfr") return SubgameMethod::kCfr;
  if (name == "cfr_plus") return SubgameMethod::kCfrPlus;
  if (name == "linear_cfr") return SubgameMethod::kLinearCfr;
  if (name == "fictitious_play") return SubgameMethod::kFictitiousPlay;
  throw py::value_error(
      "method must be 'cfr', 'cfr_plus', 'linear_cfr' or 'fictitious_play', not '" + name + "'");
}

// A player's beliefs add up to one, over slots that chance deals.
void check_beliefs(const Subgame& subgame, const double* beliefs) {
  for (int32_t player = 0; player < kTwo; ++player) {
    const double* const mass = subgame.game->masses(subgame.root, player);
    double total = 0.0;
    for (int32_t slot = 0; slot < subgame.game->width; ++slot, ++beliefs) {
      if (!(*beliefs >= 0.0) || (*beliefs > 0.0 && mass[slot] == 0.0)) {
        throw py::value_error("beliefs: slot " + std::to_string(slot) + " of player " +
                              std::to_string(player) + " at public state " +
                              std::to_string(subgame.root) + " cannot have " +
                              std::to_string(*beliefs));
      }
      total += *beliefs;
    }
    if (!(std::abs(total - 1.0) <= kBeliefTolerance)) {
      throw py::value_error("beliefs: those of player " + std::to_string(player) +
                            " at public state " + std::to_string(subgame.root) + " add up to " +
                            std::to_string(total) + ", not 1");
    }
  }
}

// Subgames of one game that are solved side by side; one thread at a time may use them.
class SubgameBatch {
 public:
  SubgameBatch(const std::vector<SubgamePointer>& subgames, const Doubles& beliefs,
               const std::string& method_name) {
    const SubgameMethod method = method_named(method_name);
    if (subgames.empty()) throw py::value_error("a batch needs at least one subgame");
    for (const SubgamePointer& subgame : subgames) {
      if (subgame == nullptr) throw py::type_error("a subgame must not be None");
      if (subgame->game != subgames[0]->game) {
        throw py::value_error("the subgames of a batch must come from one PublicGame");
      }
    }
    width_ = subgames[0]->game->width;
    const auto count = static_cast<int64_t>(subgames.size());
    if (beliefs.ndim() != 3 || beliefs.shape(0) != count || beliefs.shape(1) != kTwo ||
        beliefs.shape(2) != width_) {
      throw py::value_error("beliefs must have the shape (" + std::to_string(count) + ", 2, " +
                            std::to_string(width_) + ")");
    }
    solvers_.reserve(count);
    const double* row = beliefs.data();
    for (const SubgamePointer& subgame : subgames) {
      check_beliefs(*subgame, row);
      first_leaf_.push_back(num_leaves_);
      num_leaves_ += static_cast<int64_t>(subgame->leaves.size());
      solvers_.emplace_back(subgame, method, row);
      row += int64_t{kTwo} * width_;
    }
    first_leaf_.push_back(num_leaves_);
  }

  int64_t size() const { return static_cast<int64_t>(solvers_.size()); }
  int64_t num_leaves() const { return num_leaves_; }
  py::array_t<int64_t> first_leaf() const { return to_array(first_leaf_); }

  py::array_t<int32_t> leaf_states() const {
    std::vector<int32_t> states;
    for (const SubgameSolver& solver : solvers_) {
      for (const Leaf& leaf : solver.subgame().leaves) states.push_back(leaf.state);
    }
    return to_array(states);
  }

  // [leaves, 2, width]
  py::array_t<double> leaf_beliefs() {
    const Turn turn(&busy_, "batch");
    py::array_t<double> rows({num_leaves_, int64_t{kTwo}, int64_t{width_}});
    double* data = rows.mutable_data();
    const py::gil_scoped_release release;
    for (const SubgameSolver& solver : solvers_) {
      solver.fill_leaf_beliefs(data);
      data += solver.num_leaves() * kTwo * width_;
    }
    return rows;
  }

  // The same for one of the subgames.
  py::array_t<double> leaf_beliefs_of(int64_t index) {
    const Turn turn(&busy_, "batch");
    const SubgameSolver& solver = at(index);
    py::array_t<double> rows({solver.num_leaves(), int64_t{kTwo}, int64_t{width_}});
    solver.fill_leaf_beliefs(rows.mutable_data());
    return rows;
  }

  // `values` are the player's at all leaves. [leaves, width]
  void update(int64_t player, const Doubles& values) {
    const Turn turn(&busy_, "batch");
    if (player != next_player_) {
      throw py::value_error("it is player " + std::to_string(next_player_) + "'s turn, not " +
                            std::to_string(player) + "'s");
    }
    if (values.ndim() != 2 || values.shape(0) != num_leaves_ || values.shape(1) != width_) {
      throw py::value_error("values must have the shape (" + std::to_string(num_leaves_) + ", " +
                            std::to_string(width_) + ")");
    }
    const double* row = values.data();
    for (int64_t entry = 0; entry < values.size(); ++entry) {
      if (!std::isfinite(row[entry])) throw py::value_error("values must be finite");
    }
    const py::gil_scoped_release release;
    for (SubgameSolver& solver : solvers_) {
      solver.update(static_cast<int32_t>(player), row);
      row += solver.num_leaves() * width_;
    }
    next_player_ = 1 - next_player_;
  }

  // Iterations of all subgames, none of which may have leaves.
  void run(int64_t iterations) {
    if (iterations < 0) throw py::value_error("iterations must not be negative");
    if (num_leaves_ > 0) throw py::value_error("the subgames have leaves, whose values are needed");
    const Turn turn(&busy_, "batch");
    if (next_player_ != 0) throw py::value_error("player 1 has to finish its iteration first");
    const py::gil_scoped_release release;
    Stop stop;
    for (SubgameSolver& solver : solvers_) {
      for (int64_t done = 0; done < iterations; ++done) {
        solver.iterate();
        stop.look();
      }
    }
  }

  py::array_t<double> current_policy(int64_t index) {
    const Turn turn(&busy_, "batch");
    return policy_of(at(index).subgame(), at(index).current_policy());
  }

  py::array_t<double> average_policy(int64_t index) {
    const Turn turn(&busy_, "batch");
    return policy_of(at(index).subgame(), at(index).average_policy());
  }

  // Average values of the slots at the roots. [subgames, 2, width]
  py::array_t<double> root_values() {
    const Turn turn(&busy_, "batch");
    py::array_t<double> values({size(), int64_t{kTwo}, int64_t{width_}});
    double* row = values.mutable_data();
    for (const SubgameSolver& solver : solvers_) {
      for (int32_t player = 0; player < kTwo; ++player, row += width_) {
        solver.fill_root_values(player, row);
      }
    }
    return values;
  }

 private:
  const SubgameSolver& at(int64_t index) const {
    require_row(index, size(), "subgame");
    return solvers_[index];
  }

  // One probability per action, in the order of the subgame's `actions`.
  static py::array_t<double> policy_of(const Subgame& subgame, const SequenceTable& table) {
    py::array_t<double> policy(static_cast<py::ssize_t>(subgame.sequences.size()));
    double* const data = policy.mutable_data();
    for (size_t row = 0; row < subgame.sequences.size(); ++row) {
      data[row] = table[subgame.sequences[row]];
    }
    return policy;
  }

  std::vector<SubgameSolver> solvers_;
  std::vector<int64_t> first_leaf_;  // [subgames + 1]
  int64_t num_leaves_ = 0;
  int32_t width_ = 0;
  int64_t next_player_ = 0;
  std::atomic<bool> busy_{false};
};

py::array_t<double> masses(const PublicGame& game) {
  py::array_t<double> array({int64_t{game.num_states}, int64_t{kTwo}, int64_t{game.width}});
  std::copy(game.mass.begin(), game.mass.end(), array.mutable_data());
  return array;
}

}  // namespace

void bind_subgames(py::module_& module) {
  py::class_<PublicGame, GamePointer>(module, "PublicGame")
      .def(py::init(&public_game), py::arg("graph"), py::arg("states"), py::arg("slots"))
      .def_property_readonly("num_states", [](const PublicGame& g) { return g.num_states; })
      .def_property_readonly("width", [](const PublicGame& g) { return g.width; })
      .def_property_readonly("parent", [](const PublicGame& g) { return to_array(g.parent); })
      .def_property_readonly("depth", [](const PublicGame& g) { return to_array(g.depth); })
      .def_property_readonly("after_chance",
                             [](const PublicGame& g) { return to_array(g.after_chance); })
      .def_property_readonly("chance", [](const PublicGame& g) { return to_array(g.chance); })
      .def_property_readonly("mass", &masses);
  py::class_<Subgame, SubgamePointer>(module, "Subgame")
      .def(py::init(&subgame), py::arg("game"), py::arg("root"), py::arg("depth"),
           py::arg("stop_at_chance"))
      .def_property_readonly("root", [](const Subgame& s) { return s.root; })
      .def_property_readonly("num_leaves", [](const Subgame& s) { return s.leaves.size(); })
      .def_property_readonly("actions", [](const Subgame& s) { return to_array(s.actions); });
  py::class_<SubgameBatch>(module, "SubgameBatch")
      .def(py::init<const std::vector<SubgamePointer>&, const Doubles&, const std::string&>(),
           py::arg("subgames"), py::arg("beliefs"), py::arg("method"))
      .def("__len__", &SubgameBatch::size)
      .def_property_readonly("num_leaves", &SubgameBatch::num_leaves)
      .def_property_readonly("first_leaf", &SubgameBatch::first_leaf)
      .def_property_readonly("leaf_states", &SubgameBatch::leaf_states)
      .def("leaf_beliefs", &SubgameBatch::leaf_beliefs)
      .def("leaf_beliefs_of", &SubgameBatch::leaf_beliefs_of, py::arg("index"))
      .def("update", &SubgameBatch::update, py::arg("player"), py::arg("values"))
      .def("run", &SubgameBatch::run, py::arg("iterations"))
      .def("current_policy", &SubgameBatch::current_policy, py::arg("index"))
      .def("average_policy", &SubgameBatch::average_policy, py::arg("index"))
      .def("root_values", &SubgameBatch::root_values);
}

}  // namespace nash_ismcts
