package dev.pvcpopulators.volume.settings;

import java.util.List;

/// What the settings of a service must be besides of the right type: in range, in their form, and
/// together. A pure function; what depends on the moment (registries, free space) is no part of it.
@FunctionalInterface
public interface SettingsRules {
  /// Everything that can never be right.
  List<Mistake> mistakes(GivenSettings given);
}
