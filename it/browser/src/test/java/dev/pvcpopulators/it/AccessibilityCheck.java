package dev.pvcpopulators.it;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.microsoft.playwright.Page;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;

/// Runs axe-core. This tool finds texts with low contrast, and obstacles for users of a keyboard or
/// a screen reader.
///
/// Playwright loads axe-core into the page over the browser's debugger protocol. The
/// Content-Security-Policy does not restrict this protocol, so the page keeps its policy during the
/// check.
final class AccessibilityCheck {
  private static final String SOURCE = source();

  /// Runs all rules that axe-core enables by default.
  private static final String RUN =
      """
      async () => {
        const { violations } = await axe.run(document, { resultTypes: ['violations'] });
        return violations.map(({ id, impact, help, nodes }) =>
          `${impact} ${id}: ${help}: ` + nodes.map(({ html }) => html).join(' '));
      }
      """;

  private AccessibilityCheck() {}

  /// Returns the violations of a page, one line per violated rule.
  static List<String> violations(Page page) {
    if (!Boolean.TRUE.equals(page.evaluate("() => 'axe' in window"))) {
      page.evaluate(SOURCE);
    }
    return ((List<?>) page.evaluate(RUN)).stream().map(String::valueOf).toList();
  }

  private static String source() {
    try (InputStream in = AccessibilityCheck.class.getResourceAsStream("/axe.min.js")) {
      if (in == null) {
        throw new AssertionError("No axe.min.js in com.deque.html.axe-core:playwright");
      }
      return new String(in.readAllBytes(), UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
