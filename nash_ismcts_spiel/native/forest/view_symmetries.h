// Symmetries of a merged game (worlds/merged_game.h): permutations of its actions, such as turns of
// a board, after which it is the same game.
//
// They take nodes, views and looks to others. Of views that are images of each other the first one
// stands for all; it is *standard*. Players who treat such views alike play a smaller game, in
// which every node is turned until its mover's view is standard. A view may be its own image on a
// turned board: then some of its actions are alike.
//
// Letters: N nodes, L looks, V views, A actions of all views.

#ifndef NASH_ISMCTS_SPIEL_NATIVE_FOREST_VIEW_SYMMETRIES_H_
#define NASH_ISMCTS_SPIEL_NATIVE_FOREST_VIEW_SYMMETRIES_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "../worlds/merged_game.h"

namespace nash_ismcts {

class ViewSymmetries {
 public:
  using Cells = std::vector<Action>;  // where each action goes

  // Of the candidates those count after which the game is the same. Together with the identity the
  // candidates have to be a group.
  ViewSymmetries(const MergedGame& game, const std::vector<Cells>& candidates)
      : node(counted(game.num_nodes())),
        look(counted(game.num_looks)),
        view(counted(static_cast<int64_t>(game.views.size()))),
        action(counted(static_cast<int64_t>(game.actions.size()))),
        alike(action),
        game_(&game) {
    std::vector<int32_t> turned_by(view.size(), -1);
    std::vector<Images> found;
    for (const Cells& cells : candidates) {
      Images images;
      if (!find(cells, images)) continue;
      for (size_t at = 0; at < look.size(); ++at) look[at] = std::min(look[at], images.look[at]);
      for (size_t at = 0; at < view.size(); ++at) {
        if (images.view[at] >= view[at]) continue;
        view[at] = images.view[at];
        turned_by[at] = static_cast<int32_t>(found.size());
      }
      found.push_back(std::move(images));
    }
    turn_nodes(found, turned_by);
    for (size_t at = 0; at < view.size(); ++at) {
      const auto own = static_cast<int32_t>(at);
      if (turned_by[at] >= 0) turn_actions(own, view[at], found[turned_by[at]].cells, action);
    }
    for (const Images& images : found) {
      for (size_t at = 0; at < view.size(); ++at) {
        const auto own = static_cast<int32_t>(at);
        if (images.view[at] == own) turn_actions(own, own, images.cells, alike);
      }
    }
  }

  // The means over the actions of a view that are alike, instead of its actions' values.
  void even_out(int64_t first, int64_t count, double* values, std::vector<double>& scratch) const {
    scratch.assign(2 * count, 0.0);
    double* const sums = scratch.data();
    double* const counts = sums + count;
    for (int64_t a = 0; a < count; ++a) {
      sums[alike[first + a] - first] += values[a];
      counts[alike[first + a] - first] += 1.0;
    }
    for (int64_t a = 0; a < count; ++a) {
      values[a] = sums[alike[first + a] - first] / counts[alike[first + a] - first];
    }
  }

  std::vector<int32_t> node;    // what a node is turned to, where its mover's view is standard [N]
  std::vector<int32_t> look;    // the look that stands for all images of one [L]
  std::vector<int32_t> view;    // the view that does [V]
  std::vector<int32_t> action;  // what an action is in that view [A]
  std::vector<int32_t> alike;   // the first of the actions of a view that are images [A]

 private:
  // Where one symmetry takes what there is.
  struct Images {
    Cells cells;
    std::vector<int32_t> node, look, view;
  };

  const MergedGame* game_;

  static std::vector<int32_t> counted(int64_t count) {
    std::vector<int32_t> numbers(count);
    std::iota(numbers.begin(), numbers.end(), 0);
    return numbers;
  }

  // False if the game is another one afterwards.
  bool find(const Cells& cells, Images& images) const {
    images.cells = cells;
    images.node.assign(node.size(), -1);
    images.look.assign(look.size(), -1);
    images.view.assign(view.size(), -1);
    images.node[0] = 0;
    for (int32_t from = 0; from < game_->num_nodes(); ++from) {
      if (!same(from, images.node[from], images) || !follow(from, images)) return false;
    }
    return true;
  }

  static bool agree(int32_t& known, int32_t found) {
    if (known < 0) known = found;
    return known == found;
  }

  // Whether a node and its image have the same mover and utilities, and one image for each look.
  bool same(int32_t from, int32_t to, Images& images) const {
    const MergedGame& game = *game_;
    const int32_t players = game.num_players;
    if (game.mover[from] != game.mover[to] || game.mover[from] == kChancePlayer) return false;
    if (game.terminal[from] >= 0) {
      const auto returns = [&](int32_t at) {
        return game.returns.begin() + int64_t{game.terminal[at]} * players;
      };
      return std::equal(returns(from), returns(from) + players, returns(to));
    }
    for (int32_t player = 0; player < players; ++player) {
      const int32_t own = game.look[int64_t{from} * players + player];
      if (!agree(images.look[own], game.look[int64_t{to} * players + player])) return false;
    }
    return agree(images.view[game.view[from]], game.view[to]);
  }

  // Finds the images of the nodes that follow.
  bool follow(int32_t from, Images& images) const {
    const MergedGame& game = *game_;
    if (game.view[from] < 0) return true;
    const int32_t to = images.node[from];
    const auto [first, last] = game.events(from);
    const auto [there, end] = game.events(to);
    if (last - first != end - there) return false;
    for (const Action* event = first; event != last; ++event) {
      const Action* const turned = std::find(there, end, images.cells[*event]);
      if (turned == end) return false;
      const int32_t child = game.child[game.first_edge[from] + (event - first)];
      if (!agree(images.node[child], game.child[game.first_edge[to] + (turned - there)])) {
        return false;
      }
    }
    return true;
  }

  void turn_nodes(const std::vector<Images>& found, const std::vector<int32_t>& turned_by) {
    for (size_t at = 0; at < node.size(); ++at) {
      if (game_->view[at] >= 0) {
        const int32_t by = turned_by[game_->view[at]];
        if (by >= 0) node[at] = found[by].node[at];
        continue;
      }
      for (const Images& images : found) node[at] = std::min(node[at], images.node[at]);
    }
  }

  // For each action of a view the number of its image; of several images the first.
  void turn_actions(int32_t from, int32_t to, const Cells& cells,
                    std::vector<int32_t>& into) const {
    const MergedGame& game = *game_;
    const auto first = game.actions.begin() + game.first_action[to],
               last = game.actions.begin() + game.first_action[to + 1];
    for (int64_t at = game.first_action[from]; at < game.first_action[from + 1]; ++at) {
      const auto image = std::find(first, last, cells[game.actions[at]]) - game.actions.begin();
      into[at] = from == to ? std::min(into[at], static_cast<int32_t>(image))
                            : static_cast<int32_t>(image);
    }
  }
};

}  // namespace nash_ismcts

#endif  // NASH_ISMCTS_SPIEL_NATIVE_FOREST_VIEW_SYMMETRIES_H_
