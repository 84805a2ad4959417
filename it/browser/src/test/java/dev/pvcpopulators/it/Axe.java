package dev.pvcpopulators.it;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.microsoft.playwright.Page;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;

/// axe-core: what is in the way of people who use a page by keyboard, screen reader, or with little
/// contrast.
///
/// It comes into the page by the debugger's protocol, which no Content-Security-Policy is asked
/// about: what is examined is the page with its policy in force.
final class Axe {
  private static final String SOURCE = source();

  /// Every rule that axe-core has on by default, its "best practices" included.
  private static final String RUN =
      """
      async () => {
        const { violations } = await axe.run(document, { resultTypes: ['violations'] });
        return violations.map(({ id, impact, help, nodes }) =>
          `${impact} ${id}: ${help}: ` + nodes.map(({ html }) => html).join(' '));
      }
      """;

  private Axe() {}

  /// What is wrong with a page as it is now, a line for each rule that it breaks.
  static List<String> violations(Page page) {
    if (!Boolean.TRUE.equals(page.evaluate("() => 'axe' in window"))) {
      page.evaluate(SOURCE);
    }
    return ((List<?>) page.evaluate(RUN)).stream().map(String::valueOf).toList();
  }

  private static String source() {
    try (InputStream in = Axe.class.getResourceAsStream("/axe.min.js")) {
      if (in == null) {
        throw new AssertionError("No axe.min.js in com.deque.html.axe-core:playwright");
      }
      return new String(in.readAllBytes(), UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
