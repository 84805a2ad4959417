package dev.pvcpopulators.iscsitarget.medium;

import java.io.IOException;

/// How far a disk that arrives has come.
sealed interface ArrivalState {
  /// What is missing is on its way.
  record Underway() implements ArrivalState {}

  /// Nothing is missing, and all is what it should be.
  record Complete() implements ArrivalState {}

  /// What is missing does not come, unless the pull is begun again.
  record Failed(IOException reason) implements ArrivalState {}

  /// Nothing of it may be read: it is not what it should be, or it is closed.
  record Discredited(IOException reason) implements ArrivalState {}

  ArrivalState UNDERWAY = new Underway();
  ArrivalState COMPLETE = new Complete();
}
