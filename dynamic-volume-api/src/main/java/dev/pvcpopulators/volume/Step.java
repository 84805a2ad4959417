package dev.pvcpopulators.volume;

import java.util.List;

/// The outcome of one event.
///
/// @param effects to be done in this order
record Step(State state, List<Effect> effects) {
  Step {
    effects = List.copyOf(effects);
  }

  static Step to(State state, Effect... effects) {
    return new Step(state, List.of(effects));
  }
}
