package dev.pvcpopulators.kit.settings;

/// The rules for the settings of a service besides their types: ranges, forms, and combinations. A
/// pure function; it does not check variable state, such as registries and free space.
@FunctionalInterface
public interface SettingsRules {
  /// Reports all mistakes that are independent of the environment.
  void check(GivenSettings given, Mistakes found);
}
