package dev.pvcpopulators.it.torture.outcome;

/// How a job ended, as its client sees it.
public sealed interface Outcome {
  /// The disk is there, it was said.
  record Made() implements Outcome {
    @Override
    public String toString() {
      return "made";
    }
  }

  /// It was refused.
  ///
  /// @param status of HTTP
  /// @param type of the problem, without what all of them begin with
  record Refused(int status, String type) implements Outcome {
    @Override
    public String toString() {
      return status + " " + type;
    }
  }

  /// A Job ended.
  ///
  /// @param status its exit status, not 0
  /// @param type of the problem in its termination log; empty if it left none
  record Exited(int status, String type) implements Outcome {
    @Override
    public String toString() {
      return "exit " + status + (type.isEmpty() ? "" : " " + type);
    }
  }

  /// It was told to be there, and is not yet, or will not be.
  record Pending() implements Outcome {
    @Override
    public String toString() {
      return "still at it";
    }
  }

  /// There is no answer: the client's connection ended before.
  record Unanswered() implements Outcome {
    @Override
    public String toString() {
      return "no answer";
    }
  }
}
