package dev.pvcpopulators.kit.settings;

import java.util.List;

/// The rules for the settings of a service besides their types: ranges, forms, and combinations. A
/// pure function; it does not check what can change, such as registries and free space.
@FunctionalInterface
public interface SettingsRules {
  /// Returns everything that can never be right.
  List<Mistake> mistakes(GivenSettings given);
}
