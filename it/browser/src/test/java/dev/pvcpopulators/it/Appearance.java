package dev.pvcpopulators.it;

import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.ColorScheme;
import com.microsoft.playwright.options.ReducedMotion;
import java.util.Locale;

/// A window size and a colour scheme for the check of a page. The unit of sizes is the CSS pixel.
enum Appearance {
  WIDE_LIGHT(Appearance.WIDE, ColorScheme.LIGHT),
  WIDE_DARK(Appearance.WIDE, ColorScheme.DARK),
  NARROW_LIGHT(Appearance.NARROW, ColorScheme.LIGHT),
  NARROW_DARK(Appearance.NARROW, ColorScheme.DARK);

  /// The width of a window on a small notebook.
  private static final int WIDE = 900;

  /// The width of a narrow phone.
  private static final int NARROW = 360;

  private static final int HEIGHT = 740;

  private final int width;
  private final ColorScheme scheme;

  Appearance(int width, ColorScheme scheme) {
    this.width = width;
    this.scheme = scheme;
  }

  /// Applies this appearance to a page. Reduced motion stops the animation of the bars, so that
  /// repeated checks give the same result.
  void apply(Page page) {
    page.setViewportSize(width, HEIGHT);
    page.emulateMedia(
        new Page.EmulateMediaOptions()
            .setColorScheme(scheme)
            .setReducedMotion(ReducedMotion.REDUCE));
  }

  /// Returns whether the documents contain screenshots with this appearance.
  boolean shown() {
    return this == WIDE_LIGHT || this == NARROW_DARK;
  }

  /// Returns the name of this appearance for file names and messages, for example `wide-light`.
  String word() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
