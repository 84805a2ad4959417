package dev.pvcpopulators.it;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserType;
import com.microsoft.playwright.Playwright;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/// Debian's Chromium, one process for all tests of a run; each test takes [Visit]s of its own.
///
/// Playwright's driver belongs to one thread: tests that use this do not run at the same time.
final class Chromium implements AutoCloseable {
  private static final Path PROGRAM = Path.of("/usr/bin/chromium");

  /// Chromium's sandbox refuses root, which the tests are run by.
  private static final List<String> ARGUMENTS = List.of("--no-sandbox");

  private final Playwright playwright;
  private final Browser browser;

  private Chromium() {
    // Playwright would fetch a browser of its own.
    playwright =
        Playwright.create(
            new Playwright.CreateOptions().setEnv(Map.of("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1")));
    browser =
        playwright
            .chromium()
            .launch(new BrowserType.LaunchOptions().setExecutablePath(PROGRAM).setArgs(ARGUMENTS));
  }

  /// What the browser reports as its version.
  String version() {
    return browser.version();
  }

  /// A window without a past, for one person.
  Visit visit() {
    return new Visit(browser.newContext(new Browser.NewContextOptions().setLocale("en-GB")));
  }

  /// Every process of the browser: those that the driver has started.
  List<ProcessHandle> processes() {
    return ProcessHandle.current()
        .descendants()
        .filter(process -> process.info().command().orElse("").contains("chromium"))
        .toList();
  }

  @Override
  public void close() {
    browser.close();
    playwright.close();
  }

  /// Gives tests the browser, which ends with the run.
  static final class Given implements ParameterResolver {
    private static final ExtensionContext.Namespace NAMESPACE =
        ExtensionContext.Namespace.create(Chromium.class);

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext test) {
      return parameter.getParameter().getType() == Chromium.class;
    }

    @Override
    public Chromium resolveParameter(ParameterContext parameter, ExtensionContext test) {
      return test.getRoot()
          .getStore(NAMESPACE)
          .computeIfAbsent(Chromium.class, _ -> new Chromium(), Chromium.class);
    }
  }
}
