package dev.pvcpopulators.it;

import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.ColorScheme;
import com.microsoft.playwright.options.ReducedMotion;
import java.util.Locale;

/// How a page is looked at. Sizes are CSS pixels.
enum Look {
  WIDE_LIGHT(Look.WIDE, ColorScheme.LIGHT),
  WIDE_DARK(Look.WIDE, ColorScheme.DARK),
  NARROW_LIGHT(Look.NARROW, ColorScheme.LIGHT),
  NARROW_DARK(Look.NARROW, ColorScheme.DARK);

  /// A small notebook's window, and the narrowest phone that is still made.
  private static final int WIDE = 900;

  private static final int NARROW = 360;
  private static final int HEIGHT = 740;

  private final int width;
  private final ColorScheme scheme;

  Look(int width, ColorScheme scheme) {
    this.width = width;
    this.scheme = scheme;
  }

  /// Makes a page look so. Bars stand still, so that two looks at one state see the same.
  void apply(Page page) {
    page.setViewportSize(width, HEIGHT);
    page.emulateMedia(
        new Page.EmulateMediaOptions()
            .setColorScheme(scheme)
            .setReducedMotion(ReducedMotion.REDUCE));
  }

  /// Whether it is one of the two that the documents show.
  boolean shown() {
    return this == WIDE_LIGHT || this == NARROW_DARK;
  }

  /// `wide` or `narrow`, and `light` or `dark`.
  String word() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
