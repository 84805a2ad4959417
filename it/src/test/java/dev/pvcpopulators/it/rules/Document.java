package dev.pvcpopulators.it.rules;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// A Markdown page. A section that is generated from the code has this form:
///
/// ```
/// <!-- made: settings -->
/// | Variable | …
/// <!-- end: settings -->
/// ```
///
/// @param text the text, with lines that end in `\n`
record Document(Path path, String text) {
  /// The end of a link. The group is the link's target without its fragment.
  private static final Pattern LINK = Pattern.compile("]\\(([^)#\\s]*)(?:#[^)]*)?\\)");

  /// A bar between two cells. Inside a cell, a backslash precedes each bar.
  private static final String BAR = "(?<!\\\\)\\|";

  static Document read(Path path) throws IOException {
    return new Document(path, Files.readString(path));
  }

  /// Returns all pages of this checkout, without build output.
  static List<Document> all() throws IOException {
    List<Document> pages = new ArrayList<>();
    for (Path file : Checkout.files()) {
      if (file.toString().endsWith(".md")) {
        pages.add(read(file));
      }
    }
    return pages;
  }

  /// Returns the targets of the page's links to files.
  List<Path> links() {
    return LINK.matcher(text)
        .results()
        .map(MatchResult::group)
        .map(link -> link.substring("](".length()).replaceFirst("(#.*)?\\)$", ""))
        .filter(target -> !target.isEmpty() && !target.contains(":"))
        .map(target -> path.resolveSibling(target).normalize())
        .toList();
  }

  /// Returns the cells of a section's table by row, including the header row and the delimiter row.
  List<List<String>> table(String section) {
    return section(section)
        .group(2)
        .lines()
        .filter(line -> line.startsWith("|"))
        .map(line -> Arrays.stream(line.substring(1).split(BAR, -1)).map(String::strip).toList())
        .map(cells -> cells.subList(0, cells.size() - 1))
        .toList();
  }

  /// Returns a copy of this page with another table in a section.
  Document with(String section, List<List<String>> table) {
    Matcher found = section(section);
    StringBuilder body = new StringBuilder("\n");
    table.forEach(row -> body.append("| ").append(String.join(" | ", row)).append(" |\n"));
    return new Document(
        path, text.substring(0, found.start(2)) + body + "\n" + text.substring(found.end(2)));
  }

  void write() {
    try {
      Files.writeString(path, text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Matcher section(String name) {
    Matcher found =
        Pattern.compile(
                "(<!-- made: %1$s -->\n)(.*?)(<!-- end: %1$s -->)".formatted(name), Pattern.DOTALL)
            .matcher(text);
    if (!found.find()) {
      throw new AssertionError(
          path + " has no section between <!-- made: " + name + " --> and end");
    }
    return found;
  }
}
