// What players know, as numbers.

#include <cstdint>
#include <string>
#include <vector>

#include "check.h"
#include "worlds/views.h"

namespace nash_ismcts {
namespace {

TEST(equal_knowledge_has_one_number) {
  ViewTable views(2);
  CHECK_EQ(views.size(), 2);
  CHECK(views.start(0) != views.start(1));
  const int32_t card = views.seen(views.start(0), "K");
  CHECK_EQ(views.seen(views.start(0), "K"), card);
  CHECK(views.seen(views.start(0), "Q") != card);
  CHECK(views.seen(views.start(1), "K") != card);
  const int32_t bet = views.acted(card, 1);
  CHECK_EQ(views.acted(card, 1), bet);
  CHECK(views.acted(card, 0) != bet);
  CHECK(views.acted(bet, 1) != bet);
  CHECK_EQ(views.size(), 8);
}

TEST(views_say_what_they_are) {
  ViewTable views(1);
  const int32_t card = views.seen(views.start(0), "K");
  const int32_t bet = views.acted(card, 3);
  CHECK(!views.is_look(views.start(0)));
  CHECK(views.is_look(card) && !views.is_action(card));
  CHECK(views.is_action(bet) && !views.is_look(bet));
  CHECK_EQ(views.text(card), "K");
  CHECK_EQ(views.action(bet), 3);
  CHECK_EQ(views.parent(bet), card);
  CHECK_EQ(views.parent(views.start(0)), kNoView);
  CHECK(views.chain(bet) == (std::vector<int32_t>{views.start(0), card, bet}));
}

TEST(a_second_look_at_the_same_adds_nothing) {
  ViewTable views(1);
  const int32_t board = views.looked(views.start(0), "board");
  CHECK_EQ(views.looked(board, "board"), board);
  CHECK(views.seen(board, "board") != board);
  const int32_t acted = views.acted(board, 0);
  CHECK(views.looked(acted, "board") != acted);  // after an own move it is news
  const int32_t nothing = views.looked(views.start(0), "");
  CHECK(nothing != views.start(0));  // to be shown nothing is not the same as not to look
}

TEST(finding_does_not_add) {
  ViewTable views(1);
  const int32_t card = views.seen(views.start(0), "K");
  CHECK_EQ(views.find_seen(views.start(0), "K"), card);
  CHECK_EQ(views.find_seen(views.start(0), "Q"), kNoView);
  CHECK_EQ(views.find_acted(card, 0), kNoView);
  CHECK_EQ(views.size(), 2);
  const int32_t pass = views.acted(card, 0);
  CHECK_EQ(views.find_acted(card, 0), pass);
}

TEST(a_log_leads_back_to_its_view) {
  ViewTable views(2);
  const std::vector<LogEntry> log = {{kNoAction, "K"}, {1, "Kb"}, {kNoAction, "Kbb"}, {0, ""}};
  const int32_t view = views.of_log(1, log);
  CHECK(views.log(view) == log);
  CHECK_EQ(views.of_log(1, views.log(view)), view);
  CHECK(views.of_log(0, log) != view);
  CHECK(views.log(views.start(0)).empty());
}

TEST(hashes_of_views_do_not_depend_on_the_table) {
  ViewTable first(2);
  ViewTable second(2);
  second.acted(second.seen(second.start(0), "other"), 5);
  const std::vector<LogEntry> log = {{kNoAction, "K"}, {1, "Kb"}};
  CHECK_EQ(first.hash(first.of_log(0, log)), second.hash(second.of_log(0, log)));
  CHECK(first.hash(first.of_log(0, log)) != first.hash(first.of_log(1, log)));
}

TEST(many_views_are_all_found_again) {
  ViewTable views(1);
  std::vector<int32_t> numbers;
  int32_t parent = views.start(0);
  for (int step = 0; step < 20000; ++step) {
    const int32_t view =
        step % 3 ? views.seen(parent, std::to_string(step)) : views.acted(parent, step);
    numbers.push_back(view);
    if (step % 5 == 0) parent = view;
  }
  CHECK_EQ(views.size(), 20001);
  parent = views.start(0);
  for (int step = 0; step < 20000; ++step) {
    const int32_t view =
        step % 3 ? views.find_seen(parent, std::to_string(step)) : views.find_acted(parent, step);
    CHECK_EQ(view, numbers[static_cast<size_t>(step)]);
    if (step % 5 == 0) parent = view;
  }
}

}  // namespace
}  // namespace nash_ismcts
