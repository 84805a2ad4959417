package dev.pvcpopulators.it.torture.outcome;

/// The outcome of a job for its client.
public sealed interface Outcome {
  /// The service or the Job has reported that the disk is ready.
  record Made() implements Outcome {
    @Override
    public String toString() {
      return "made";
    }
  }

  /// The service answered with a problem.
  ///
  /// @param status the HTTP status
  /// @param type the type of the problem, without the common prefix
  record Refused(int status, String type) implements Outcome {
    @Override
    public String toString() {
      return status + " " + type;
    }
  }

  /// A Job exited with a failure, or because of a signal.
  ///
  /// @param status the exit status of the Job, not 0
  /// @param type the type of the problem in the Job's termination log; empty if there is none
  record Exited(int status, String type) implements Outcome {
    @Override
    public String toString() {
      return "exit " + status + (type.isEmpty() ? "" : " " + type);
    }
  }

  /// The service has reported that the LUN is ready for use, but the data of the LUN is not
  /// complete yet, or will never be complete.
  record Pending() implements Outcome {
    @Override
    public String toString() {
      return "pending";
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
