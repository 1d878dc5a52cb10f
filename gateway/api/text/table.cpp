#include "api/text/table.hpp"

#include "paper/columns.hpp"

#include <algorithm>

namespace gateway::text {
namespace {

constexpr std::size_t gap = 2;

struct Shown {
    const Column* column;
    std::size_t width;
};

std::size_t width_of(const Column& column) {
    auto width = columns_of(column.head);
    for (const auto& cell : column.cells)
        width = std::max(width, columns_of(cell));
    return width;
}

std::size_t width_of(const std::vector<Shown>& shown) {
    std::size_t width = 0;
    for (const auto& one : shown)
        width += one.width + (width == 0 ? 0 : gap);
    return width;
}

// Takes what is too much off the columns that may be cut. Returns whether that was enough.
bool cut(std::vector<Shown>& shown, std::size_t columns) {
    for (auto& one : shown) {
        const auto width = width_of(shown);
        if (width <= columns) return true;
        const auto least = std::min(one.width, one.column->least == 0 ? one.width : one.column->least);
        one.width = std::max(least, one.width - std::min(one.width, width - columns));
    }
    return width_of(shown) <= columns;
}

std::vector<Shown> fitted(const std::vector<Column>& columns, std::size_t most) {
    std::vector<Shown> all;
    for (const auto& column : columns)
        if (std::ranges::any_of(column.cells, [](const std::string& cell) { return !cell.empty(); }))
            all.push_back({&column, width_of(column)});
    while (true) {
        auto shown = all;
        if (cut(shown, most)) return shown;
        const auto first = std::ranges::min_element(all, {}, [](const Shown& one) {
            return one.column->leaves - 1;  // 0 becomes the largest number: that column stays
        });
        if (first == all.end() || first->column->leaves == 0) return shown;
        all.erase(first);
    }
}

void trim_end(std::string& line) {
    line.erase(line.find_last_not_of(' ') + 1);
}

std::string in_place(const Shown& shown, const std::string& cell) {
    auto text = cut_to(cell, shown.width);
    return shown.column->right ? padded_left(std::move(text), shown.width) : padded(std::move(text), shown.width);
}

}  // namespace

std::string table(const Page& page, const std::vector<Column>& columns) {
    const auto shown = fitted(columns, page.columns);
    if (shown.empty()) return {};
    std::string heads;
    for (const auto& one : shown)
        heads += (heads.empty() ? "" : std::string(gap, ' ')) + in_place(one, one.column->head);
    trim_end(heads);
    auto lines = page.faint(heads) + '\n';
    for (std::size_t row = 0; row < shown.front().column->cells.size(); ++row) {
        std::string line;
        for (const auto& one : shown) {
            const auto cell = in_place(one, one.column->cells[row]);
            line += (line.empty() ? "" : std::string(gap, ' ')) + (one.column->alarming ? page.alarming(cell) : cell);
        }
        trim_end(line);
        lines += line + '\n';
    }
    return lines;
}

}  // namespace gateway::text
