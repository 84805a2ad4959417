package dev.pvcpopulators.it;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.CDPSession;
import com.microsoft.playwright.ConsoleMessage;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.AriaRole;
import com.microsoft.playwright.options.WaitForSelectorState;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;

/// A browser window on one page of a service. [#close] fails the test if the browser reported an
/// exception, an error, a warning, a violation of the Content-Security-Policy, or a request to
/// another origin. A failed request does not fail the test.
final class BrowserSession implements AutoCloseable {
  /// The beginning of Chromium's message for an unsuccessful response or a lost connection. A
  /// message with this beginning does not fail the test, because the pages handle unsuccessful
  /// responses and lost connections.
  private static final String EXPECTED_MESSAGE = "Failed to load resource: ";

  private static final double LIMIT_MILLIS = 600_000;

  /// Reports violations of the Content-Security-Policy, even if the page catches the exception.
  private static final String REPORT_VIOLATIONS =
      """
      document.addEventListener('securitypolicyviolation', violation =>
        console.error(`CSP: ${violation.violatedDirective} ${violation.blockedURI}`));
      """;

  /// Computes the number of pixels by which the page is wider than its window.
  private static final String EXCESS =
      "() => document.documentElement.scrollWidth - document.documentElement.clientWidth";

  private static final String FOCUSED =
      """
      () => {
        const { activeElement: it } = document;
        const visible = it.labels?.[0] ?? it;
        const style = getComputedStyle(visible);
        const shown = style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2;
        return (it === document.body || shown ? '' : 'invisible: ') + visible.textContent.trim();
      }
      """;

  /// Counts the running animations.
  private static final String MOVEMENTS =
      "() => document.getAnimations().filter(({ playState }) => playState === 'running').length";

  private final BrowserContext context;
  private final Page page;
  private final List<String> problems = new ArrayList<>();
  private final List<String> requested = new ArrayList<>();

  BrowserSession(BrowserContext context) {
    this.context = context;
    context.setDefaultTimeout(LIMIT_MILLIS);
    context.addInitScript(REPORT_VIOLATIONS);
    page = context.newPage();
    page.onConsoleMessage(this::logged);
    page.onPageError(problems::add);
    page.onRequest(request -> requested.add(request.url()));
  }

  private void logged(ConsoleMessage message) {
    boolean serious = message.type().equals("error") || message.type().equals("warning");
    if (serious && !message.text().startsWith(EXPECTED_MESSAGE)) {
      problems.add(message.type() + ": " + message.text() + " " + message.location());
    }
  }

  /// Opens the page of a service, or of a proxy in front of the service.
  BrowserSession open(URI base) {
    page.navigate(base + "/");
    return this;
  }

  Page page() {
    return page;
  }

  /// Opens a session of Chromium's debugger protocol, for events that Playwright does not support.
  CDPSession protocol() {
    return context.newCDPSession(page);
  }

  /// Grants permissions, so that the browser does not ask the user for them.
  void grant(String... permissions) {
    context.grantPermissions(List.of(permissions));
  }

  /// Waits until the page is in one of the given states.
  BrowserSession awaitState(String... states) {
    List<String> selectors = new ArrayList<>();
    for (String state : states) {
      selectors.add("body[data-state=" + state + "]");
    }
    page.waitForSelector(String.join(", ", selectors));
    return this;
  }

  String state() {
    return String.valueOf(page.locator("body").getAttribute("data-state"));
  }

  Locator button(String name) {
    return named(AriaRole.BUTTON, name);
  }

  Locator named(AriaRole role, String name) {
    return page.getByRole(role, new Page.GetByRoleOptions().setName(name).setExact(true));
  }

  /// Returns options that make `waitFor` wait until the element is removed.
  static Locator.WaitForOptions gone() {
    return new Locator.WaitForOptions().setState(WaitForSelectorState.DETACHED);
  }

  /// Returns the label or text of the focused element, with the prefix `invisible: ` if the focus
  /// is not visible.
  String focused() {
    return String.valueOf(page.evaluate(FOCUSED));
  }

  /// Returns the text of the page's element whose attribute `data-field` is `name`.
  String field(String name) {
    return page.locator("[data-field=" + name + "]").textContent().strip();
  }

  /// Waits for an alert on the page, and returns its text.
  String alert() {
    Locator alert =
        page.getByRole(AriaRole.ALERT).filter(new Locator.FilterOptions().setHasText(" "));
    alert.first().waitFor();
    return alert.first().textContent().strip();
  }

  /// Checks the page in every [Appearance]. axe-core must find no violation. The page must not be
  /// wider than the window, and no animation may run. Violations fail the test in [#close]. Takes
  /// the screenshots for the documents.
  ///
  /// @param name the name of the page's state, for messages and for the file names of screenshots
  BrowserSession examine(String name) {
    for (Appearance appearance : Appearance.values()) {
      appearance.apply(page);
      AccessibilityCheck.violations(page)
          .forEach(line -> problems.add(name + ", " + appearance.word() + ": " + line));
      Object excess = page.evaluate(EXCESS);
      if (!excess.equals(0)) {
        problems.add(name + ", " + appearance.word() + ": wider than the window by " + excess);
      }
      Object movements = page.evaluate(MOVEMENTS);
      if (!movements.equals(0)) {
        problems.add(
            name + ", " + appearance.word() + ": moves although reduced motion is requested");
      }
      if (appearance.shown()) {
        Pictures.take(page, name + "-" + appearance.word());
      }
    }
    Appearance.WIDE_LIGHT.apply(page);
    return this;
  }

  @Override
  public void close() {
    URI here = URI.create(page.url());
    context.close();
    assertEquals(List.of(), problems, "problems that the browser reported");
    String origin = here.getScheme() + "://" + here.getAuthority() + "/";
    assertEquals(
        List.of(),
        requested.stream().filter(url -> !url.startsWith(origin)).toList(),
        "requests to other origins than " + origin);
  }
}
