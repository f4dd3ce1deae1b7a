// What a simulation needs of the models before it goes on: rows that are there, that are made at
// once, or that it has to wait for.

#ifndef NASH_ISMCTS_SPIEL_NATIVE_SEARCH_WANTED_H_
#define NASH_ISMCTS_SPIEL_NATIVE_SEARCH_WANTED_H_

#include <cstdint>

#include "simulation.h"

namespace nash_ismcts {

inline Request nothing() { return {}; }

// Whether rows of information sets come from Python.
inline bool asks_for_sets(const SearchContext& context) {
  return context.source == nullptr || !context.source->makes_set_rows();
}

// Asks for an information set's models unless they are there or can be made.
inline Request want_set_row(SearchContext& context, int32_t information_set,
                            int32_t arrival = kMissing) {
  const auto& has = context.rows.has_information_set;
  if (information_set < static_cast<int64_t>(has.size()) && has[information_set]) return nothing();
  if (asks_for_sets(context)) return {Wanted::kSetRow, information_set};
  context.source->set_row(context.graph, context.rows, information_set, arrival);
  return nothing();
}

// The same where P is enough.
inline Request want_policy(SearchContext& context, int32_t information_set) {
  const auto& has = context.rows.has_policy;
  if (information_set < static_cast<int64_t>(has.size()) && has[information_set]) return nothing();
  if (asks_for_sets(context)) return {Wanted::kSetRow, information_set};
  context.source->policy_row(context.graph, context.rows, information_set);
  return nothing();
}

inline Request want_sample_row(SearchContext& context, int32_t sample) {
  const auto& has = context.rows.has_sample;
  if (sample < static_cast<int64_t>(has.size()) && has[sample]) return nothing();
  if (context.source == nullptr) return {Wanted::kSampleRow, sample};
  context.source->sample_row(context.graph, context.rows, sample);
  return nothing();
}

// The SAMPLE node on top of an information set if the models tell its pieces apart, so that actions
// that were never tried have intervals; kNone if they do not, or beliefs are not dispersed.
inline int32_t told_apart(SearchContext& context, int32_t information_set) {
  if (context.config.dispersion_radius == 0.0 || context.source != nullptr) return kNone;
  const int32_t top = context.graph.hidden(information_set);
  return top < 0 ? ~top : kNone;
}

// Asks for all that an ACT node is expanded with.
inline Request want_models(SearchContext& context, int32_t information_set, int32_t arrival) {
  const Request request = want_set_row(context, information_set, arrival);
  if (request.wanted != Wanted::kNothing) return request;
  const int32_t sample = told_apart(context, information_set);
  return sample == kNone ? nothing() : want_sample_row(context, sample);
}

// Expands an ACT node whose models are there. What the models say of an action that was never tried
// is Vc, and where they tell hidden pieces apart, the interval of a SAMPLE node of which no piece
// was drawn.
inline void expand_by_models(SearchContext& context, NodeId id) {
  Forest& forest = context.forest;
  expand(forest, id, context.graph, context.rows, context.config);
  ActNode& node = forest.act(id);
  const int32_t set = node.information_set, sample = told_apart(context, set);
  if (sample == kNone || context.rows.sample_first[sample] == Rows::kOneValue) return;
  node.modelled = true;
  for (int32_t action = 0; action < node.count; ++action) {
    const double value = context.rows.child_values[node.first_action + action];
    const bool hidden = context.graph.own_next(set, action) == kMissing;
    forest.action_slots(node)[action].modelled =
        hidden ? SampleValues(context.graph, context.rows, sample, action, context.sample_buffers)
                     .dispersed(context.config.dispersion_radius)
               : point(value);
  }
}

}  // namespace nash_ismcts

#endif  // NASH_ISMCTS_SPIEL_NATIVE_SEARCH_WANTED_H_
