package dev.pvcpopulators.it.torture.outcome;

/// The outcome of a job for its client.
public sealed interface Outcome {
  /// The client was told that the disk is ready.
  record Made() implements Outcome {
    @Override
    public String toString() {
      return "made";
    }
  }

  /// The job was refused.
  ///
  /// @param status the HTTP status
  /// @param type the type of the problem, without the common prefix
  record Refused(int status, String type) implements Outcome {
    @Override
    public String toString() {
      return status + " " + type;
    }
  }

  /// A Job exited.
  ///
  /// @param status the exit status of the Job, not 0
  /// @param type the type of the problem in the Job's termination log; empty if there is none
  record Exited(int status, String type) implements Outcome {
    @Override
    public String toString() {
      return "exit " + status + (type.isEmpty() ? "" : " " + type);
    }
  }

  /// The client was told that the disk is ready, but the data of the disk is not complete yet, or
  /// will never be complete.
  record Pending() implements Outcome {
    @Override
    public String toString() {
      return "still at it";
    }
  }

  /// The client got no answer, because its connection ended before the answer.
  record Unanswered() implements Outcome {
    @Override
    public String toString() {
      return "no answer";
    }
  }
}
