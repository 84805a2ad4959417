package dev.pvcpopulators.kit.settings;

import java.util.List;

/// The rules for the settings of a service besides their types: ranges, forms, and combinations. A
/// pure function; it does not check variable state, such as registries and free space.
@FunctionalInterface
public interface SettingsRules {
  /// Returns all mistakes that are independent of the environment.
  List<Mistake> mistakes(GivenSettings given);
}
