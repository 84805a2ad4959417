package dev.pvcpopulators.volume.machine;

import java.util.List;

/// The next state and the effects of one event.
///
/// @param effects the effects, in the order in which they must be performed
public record Step(State state, List<Effect> effects) {
  public Step {
    effects = List.copyOf(effects);
  }

  static Step to(State state, Effect... effects) {
    return new Step(state, List.of(effects));
  }
}
