// Python's door to subgames: checks what comes in, lets other threads run, hands arrays out.

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "../solvers/subgame.h"
#include "../solvers/subgame_solver.h"
#include "arrays.h"
#include "bindings.h"
#include "checked.h"
#include "solver.h"

namespace nash_ismcts {
namespace {

using GamePointer = std::shared_ptr<PublicGame>;
using SubgamePointer = std::shared_ptr<Subgame>;

constexpr double kBeliefTolerance = 1e-6;

std::vector<int32_t> read_numbers(const Ints& array, const char* name) {
  if (array.ndim() != 1) throw py::value_error(std::string(name) + " must have one dimension");
  return vector_of(array);
}

void require_shape(const Doubles& array, const std::vector<int64_t>& shape, const char* name) {
  if (std::equal(shape.begin(), shape.end(), array.shape(), array.shape() + array.ndim())) return;
  std::string wanted;
  for (const int64_t size : shape) wanted += (wanted.empty() ? "" : ", ") + std::to_string(size);
  throw py::value_error(std::string(name) + " must have the shape (" + wanted + ")");
}

GamePointer public_game(const std::shared_ptr<CompiledGraph>& graph, const Ints& states,
                        const Ints& slots) {
  return std::make_shared<PublicGame>(
      make_public_game(graph, read_numbers(states, "states"), read_numbers(slots, "slots")));
}

SubgamePointer subgame(const GamePointer& game, int64_t root, int64_t depth, bool stop_at_chance) {
  const int32_t state = require_row(root, game->num_states, "public state");
  if (depth < 1) throw py::value_error("depth must be at least 1, not " + std::to_string(depth));
  const auto most = static_cast<int64_t>(game->num_states);  // deeper than any
  const auto levels = static_cast<int32_t>(std::min(depth, most));
  const py::gil_scoped_release release;
  return std::make_shared<Subgame>(make_subgame(game, state, levels, stop_at_chance));
}

SubgameMethod method_named(const std::string& name) {
  return meant<SubgameMethod>("method", name,
                              {{"cfr", SubgameMethod::kCfr},
                               {"cfr_plus", SubgameMethod::kCfrPlus},
                               {"linear_cfr", SubgameMethod::kLinearCfr},
                               {"fictitious_play", SubgameMethod::kFictitiousPlay}});
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
struct SubgameBatch : Shared {
  SubgameBatch(const std::vector<SubgamePointer>& subgames, const Doubles& beliefs,
               const std::string& method_name)
      : Shared("the batch is already running") {
    const SubgameMethod method = method_named(method_name);
    if (subgames.empty()) throw py::value_error("a batch needs at least one subgame");
    for (const SubgamePointer& subgame : subgames) {
      if (subgame == nullptr) throw py::type_error("a subgame must not be None");
      if (subgame->game != subgames[0]->game) {
        throw py::value_error("the subgames of a batch must come from one PublicGame");
      }
    }
    width = subgames[0]->game->width;
    require_shape(beliefs, {static_cast<int64_t>(subgames.size()), kTwo, width}, "beliefs");
    solvers.reserve(subgames.size());
    const double* row = beliefs.data();
    for (const SubgamePointer& subgame : subgames) {
      check_beliefs(*subgame, row);
      first_leaf.push_back(num_leaves);
      num_leaves += static_cast<int64_t>(subgame->leaves.size());
      solvers.emplace_back(subgame, method, row);
      row += int64_t{kTwo} * width;
    }
    first_leaf.push_back(num_leaves);
  }

  int64_t size() const { return static_cast<int64_t>(solvers.size()); }
  const SubgameSolver& at(int64_t index) const {
    return solvers[require_row(index, size(), "subgame")];
  }

  std::vector<SubgameSolver> solvers;
  std::vector<int64_t> first_leaf;  // [subgames + 1]
  int64_t num_leaves = 0;
  int32_t width = 0;
  int64_t next_player = 0;
};

py::array_t<int32_t> leaf_states(const SubgameBatch& self) {
  std::vector<int32_t> states;
  for (const SubgameSolver& solver : self.solvers) {
    for (const Leaf& leaf : solver.subgame().leaves) states.push_back(leaf.state);
  }
  return copy_of(states);
}

// [leaves, 2, width]
py::array_t<double> leaf_beliefs(const SubgameBatch& self) {
  return filled<double>({self.num_leaves, kTwo, self.width}, [&self](double* row) {
    for (const SubgameSolver& solver : self.solvers) {
      solver.fill_leaf_beliefs(row);
      row += solver.num_leaves() * kTwo * self.width;
    }
  });
}

// `values` are the player's at all leaves. [leaves, width]
void update(SubgameBatch& self, int64_t player, const Doubles& values) {
  if (player != self.next_player) {
    throw py::value_error("it is player " + std::to_string(self.next_player) + "'s turn, not " +
                          std::to_string(player) + "'s");
  }
  require_shape(values, {self.num_leaves, self.width}, "values");
  require_finite(values, "values");
  const double* row = values.data();
  const py::gil_scoped_release release;
  for (SubgameSolver& solver : self.solvers) {
    solver.update(static_cast<int32_t>(player), row);
    row += solver.num_leaves() * self.width;
  }
  self.next_player = 1 - self.next_player;
}

// Iterations of all subgames, none of which may have leaves.
void run(SubgameBatch& self, int64_t iterations) {
  require_not_negative(iterations, "iterations");
  if (self.num_leaves > 0) {
    throw py::value_error("the subgames have leaves, whose values are needed");
  }
  if (self.next_player != 0) throw py::value_error("player 1 has to finish its iteration first");
  for (SubgameSolver& solver : self.solvers) {
    run_steps(iterations, "iterations", [&solver] { solver.iterate(); });
  }
}

// One probability per action, in the order of the subgame's `actions`.
py::array_t<double> policy_of(const SubgameSolver& solver, const SequenceTable& table) {
  const std::vector<int32_t>& sequences = solver.subgame().sequences;
  return filled<double>({static_cast<py::ssize_t>(sequences.size())}, [&](double* policy) {
    for (const int32_t sequence : sequences) *policy++ = table[sequence];
  });
}

// Average values of the slots at the roots. [subgames, 2, width]
py::array_t<double> root_values(const SubgameBatch& self) {
  return filled<double>({self.size(), kTwo, self.width}, [&self](double* row) {
    for (const SubgameSolver& solver : self.solvers) {
      for (int32_t player = 0; player < kTwo; ++player, row += self.width) {
        solver.fill_root_values(player, row);
      }
    }
  });
}

py::array_t<double> masses(const PublicGame& game) {
  return filled<double>({game.num_states, kTwo, game.width}, [&game](double* mass) {
    std::copy(game.mass.begin(), game.mass.end(), mass);
  });
}

}  // namespace

void bind_subgames(py::module_& module) {
  py::class_<PublicGame, GamePointer> game(module, "PublicGame");
  game.def(py::init(&public_game), "graph"_a.none(false), "states"_a, "slots"_a)
      .def_readonly("num_states", &PublicGame::num_states)
      .def_readonly("width", &PublicGame::width)
      .def_property_readonly("mass", &masses);
  Copies(game)
      .column("parent", &PublicGame::parent)
      .column("depth", &PublicGame::depth)
      .column("after_chance", &PublicGame::after_chance)
      .column("chance", &PublicGame::chance);
  py::class_<Subgame, SubgamePointer> part(module, "Subgame");
  part.def(py::init(&subgame), "game"_a.none(false), "root"_a, "depth"_a, "stop_at_chance"_a)
      .def_readonly("root", &Subgame::root)
      .def_property_readonly("num_leaves", [](const Subgame& s) { return s.leaves.size(); });
  Copies(part).column("actions", &Subgame::actions);
  py::class_<SubgameBatch> batch(module, "SubgameBatch");
  batch
      .def(py::init<const std::vector<SubgamePointer>&, const Doubles&, const std::string&>(),
           "subgames"_a, "beliefs"_a, "method"_a)
      .def("__len__", &SubgameBatch::size)
      .def_readonly("num_leaves", &SubgameBatch::num_leaves)
      .def_property_readonly("leaf_states", &leaf_states)
      .def("leaf_beliefs", checked(&leaf_beliefs))
      .def("update", checked(&update), "player"_a, "values"_a)
      .def("run", checked(&run), "iterations"_a)
      .def("current_policy", checked([](const SubgameBatch& self, int64_t index) {
             return policy_of(self.at(index), self.at(index).current_policy());
           }),
           "index"_a)
      .def("average_policy", checked([](const SubgameBatch& self, int64_t index) {
             return policy_of(self.at(index), self.at(index).average_policy());
           }),
           "index"_a)
      .def("root_values", checked(&root_values));
  Copies(batch).column("first_leaf", &SubgameBatch::first_leaf);
}

}  // namespace nash_ismcts
