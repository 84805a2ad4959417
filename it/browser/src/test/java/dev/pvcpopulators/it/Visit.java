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

/// A person's window on one page of a service. Closing it fails the test where the browser had
/// anything to complain of meanwhile: an exception, a violation of the Content-Security-Policy, a
/// request to somewhere else.
final class Visit implements AutoCloseable {
  /// What Chromium writes down of every answer that is no success, and of lost connections; pages
  /// deal with these.
  private static final String OF_AN_ANSWER = "Failed to load resource: ";

  private static final double LIMIT_MILLIS = 600_000;

  /// Tells of what the policy forbids, also where a page catches the exception.
  private static final String REPORT_VIOLATIONS =
      """
      document.addEventListener('securitypolicyviolation', violation =>
        console.error(`CSP: ${violation.violatedDirective} ${violation.blockedURI}`));
      """;

  /// How many pixels a window has to be scrolled sideways.
  private static final String EXCESS =
      "() => document.documentElement.scrollWidth - document.documentElement.clientWidth";

  /// What has the focus: its label or text; and where that cannot be seen, that.
  private static final String FOCUSED =
      """
      () => {
        const { activeElement: it } = document;
        const seen = it.labels?.[0] ?? it;
        const style = getComputedStyle(seen);
        const shown = style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2;
        return (it === document.body || shown ? '' : 'unseen: ') + seen.textContent.trim();
      }
      """;

  /// Movements of the page's own that are under way.
  private static final String MOVEMENTS =
      "() => document.getAnimations().filter(({ playState }) => playState === 'running').length";

  private final BrowserContext context;
  private final Page page;
  private final List<String> complaints = new ArrayList<>();
  private final List<String> places = new ArrayList<>();

  Visit(BrowserContext context) {
    this.context = context;
    context.setDefaultTimeout(LIMIT_MILLIS);
    context.addInitScript(REPORT_VIOLATIONS);
    page = context.newPage();
    page.onConsoleMessage(this::heard);
    page.onPageError(complaints::add);
    page.onRequest(request -> places.add(request.url()));
  }

  private void heard(ConsoleMessage message) {
    boolean grave = message.type().equals("error") || message.type().equals("warning");
    if (grave && !message.text().startsWith(OF_AN_ANSWER)) {
      complaints.add(message.type() + ": " + message.text() + " " + message.location());
    }
  }

  /// Opens the page of a service, or of what stands before it.
  Visit open(URI base) {
    page.navigate(base + "/");
    return this;
  }

  Page page() {
    return page;
  }

  /// Chromium's own protocol, for what Playwright has no word for.
  CDPSession protocol() {
    return context.newCDPSession(page);
  }

  /// Allows what a person would be asked about.
  void grant(String... permissions) {
    context.grantPermissions(List.of(permissions));
  }

  /// Waits until the page says that it is in one of these states.
  Visit awaitState(String... states) {
    List<String> selectors = new ArrayList<>();
    for (String state : states) {
      selectors.add("body[data-state=" + state + "]");
    }
    page.waitForSelector(String.join(", ", selectors));
    return this;
  }

  /// What the page says now.
  String state() {
    return String.valueOf(page.locator("body").getAttribute("data-state"));
  }

  Locator button(String name) {
    return named(AriaRole.BUTTON, name);
  }

  Locator named(AriaRole role, String name) {
    return page.getByRole(role, new Page.GetByRoleOptions().setName(name).setExact(true));
  }

  /// Of what is awaited to go away.
  static Locator.WaitForOptions gone() {
    return new Locator.WaitForOptions().setState(WaitForSelectorState.DETACHED);
  }

  /// The label or text of what has the focus. It begins with `unseen` where nothing shows that.
  String focused() {
    return String.valueOf(page.evaluate(FOCUSED));
  }

  /// A figure that the page shows.
  String field(String name) {
    return page.locator("[data-field=" + name + "]").textContent().strip();
  }

  /// What the page says has gone wrong; waits for it.
  String alert() {
    Locator alert =
        page.getByRole(AriaRole.ALERT).filter(new Locator.FilterOptions().setHasText(" "));
    alert.first().waitFor();
    return alert.first().textContent().strip();
  }

  /// Looks at the page as it is now, in every way: nothing may be in anybody's way, and nothing
  /// wider than the window. What is found fails the test at the end.
  ///
  /// @param name of the state, which pictures get
  Visit examine(String name) {
    for (Look look : Look.values()) {
      look.apply(page);
      Axe.violations(page).forEach(line -> complaints.add(name + ", " + look.word() + ": " + line));
      Object excess = page.evaluate(EXCESS);
      if (!excess.equals(0)) {
        complaints.add(name + ", " + look.word() + ": wider than the window by " + excess);
      }
      Object movements = page.evaluate(MOVEMENTS);
      if (!movements.equals(0)) {
        complaints.add(name + ", " + look.word() + ": moves, though that is to be reduced");
      }
      if (look.shown()) {
        Pictures.take(page, name + "-" + look.word());
      }
    }
    Look.WIDE_LIGHT.apply(page);
    return this;
  }

  @Override
  public void close() {
    URI here = URI.create(page.url());
    context.close();
    assertEquals(List.of(), complaints, "complaints of the browser");
    String origin = here.getScheme() + "://" + here.getAuthority() + "/";
    assertEquals(
        List.of(),
        places.stream().filter(place -> !place.startsWith(origin)).toList(),
        "requests to other places than " + origin);
  }
}
