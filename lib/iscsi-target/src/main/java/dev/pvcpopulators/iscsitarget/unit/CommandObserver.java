package dev.pvcpopulators.iscsitarget.unit;

/// Hears how the commands of logical units end, on the threads that run them: returns at once and
/// throws nothing.
public interface CommandObserver {
  /// Hears nothing.
  CommandObserver NONE =
      new CommandObserver() {
        @Override
        public void moved(Direction direction, long nanos) {}

        @Override
        public void failed(Trouble trouble) {}
      };

  /// Whither blocks moved.
  enum Direction {
    READ,
    WRITE
  }

  /// Why a command failed that the initiator did nothing wrong with.
  enum Trouble {
    /// Its data has not arrived in time; the initiator is told to try again.
    LATE,
    /// There is no space for what it writes.
    FULL,
    /// The files below the unit cannot be read or written.
    MEDIUM,
    /// Our own mistake.
    DEFECT
  }

  /// A command has read or written its blocks.
  ///
  /// @param nanos since it entered the task set: waiting for its turn and for data on its way is
  ///   part of them, sending its answer is not
  void moved(Direction direction, long nanos);

  /// A command came to nothing.
  void failed(Trouble trouble);
}
