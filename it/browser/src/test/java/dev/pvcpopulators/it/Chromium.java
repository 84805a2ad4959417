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

/// Debian's Chromium. All tests of a run use the same browser. Each test opens its own sessions.
///
/// Playwright's driver belongs to one thread, so tests with a browser must not run in parallel.
final class Chromium implements AutoCloseable {
  private static final Path PROGRAM = Path.of("/usr/bin/chromium");

  /// Chromium's sandbox does not work for root, and the tests need root.
  private static final List<String> ARGUMENTS = List.of("--no-sandbox");

  private final Playwright playwright;
  private final Browser browser;

  private Chromium() {
    // Without `PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD`, Playwright downloads a browser.
    playwright =
        Playwright.create(
            new Playwright.CreateOptions().setEnv(Map.of("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1")));
    browser =
        playwright
            .chromium()
            .launch(new BrowserType.LaunchOptions().setExecutablePath(PROGRAM).setArgs(ARGUMENTS));
  }

  String version() {
    return browser.version();
  }

  /// Opens a window without history, cookies or storage.
  BrowserSession session() {
    return new BrowserSession(
        browser.newContext(new Browser.NewContextOptions().setLocale("en-GB")));
  }

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

  /// Injects the browser into the tests. JUnit closes the browser after the run.
  static final class Parameter implements ParameterResolver {
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
