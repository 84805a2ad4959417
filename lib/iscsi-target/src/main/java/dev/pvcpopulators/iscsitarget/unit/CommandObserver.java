package dev.pvcpopulators.iscsitarget.unit;

/// Receives the outcomes of commands. The thread that runs or ends a command calls these methods.
/// Implementations must return immediately and must not throw.
public interface CommandObserver {
  /// Ignores all outcomes.
  CommandObserver NONE =
      new CommandObserver() {
        @Override
        public void moved(Direction direction, long nanos) {}

        @Override
        public void failed(Trouble trouble) {}
      };

  /// The direction of a transfer.
  enum Direction {
    READ,
    WRITE
  }

  /// The cause of a failure that is not an error of the initiator.
  enum Trouble {
    /// The command waited too long for earlier commands, or the medium does not yet have the data
    /// that the command needs. The command ends with BUSY, so that the initiator retries.
    LATE,
    /// There is no space for the data.
    FULL,
    /// The medium cannot be read or written.
    MEDIUM,
    /// A defect of this program.
    DEFECT
  }

  /// Called when a READ, WRITE, WRITE AND VERIFY or WRITE ATOMIC command has ended with GOOD.
  ///
  /// @param nanos the time in nanoseconds since the command was received. This time includes the
  ///   waits for the command's turn and for data, but not the sending of the status
  void moved(Direction direction, long nanos);

  /// Called when a command failed for one of the causes in [Trouble].
  void failed(Trouble trouble);
}
