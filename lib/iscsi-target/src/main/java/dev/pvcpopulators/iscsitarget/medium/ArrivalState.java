package dev.pvcpopulators.iscsitarget.medium;

import java.io.IOException;

/// The state of an arriving disk.
sealed interface ArrivalState {
  /// The missing data is expected to arrive.
  record Underway() implements ArrivalState {}

  /// All data is present and verified.
  record Complete() implements ArrivalState {}

  /// The missing data will arrive only if the stream is restarted.
  record Failed(IOException reason) implements ArrivalState {}

  /// The disk must not be read: its data is wrong or lost, or it is closed.
  record Discredited(IOException reason) implements ArrivalState {}

  ArrivalState UNDERWAY = new Underway();
  ArrivalState COMPLETE = new Complete();
}
