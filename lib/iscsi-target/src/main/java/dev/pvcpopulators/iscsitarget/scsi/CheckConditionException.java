package dev.pvcpopulators.iscsitarget.scsi;

import java.io.IOException;

/// Ends a command with CHECK CONDITION. A method that [Command#run] calls throws this exception for
/// an error in the CDB or in the parameter list. This exception has no stack trace, because it
/// reports an error of the initiator, not of this program.
public final class CheckConditionException extends IOException {
  /// The additional sense code for a parameter list that is too short or too long (SPC-4, annex D).
  public static final int PARAMETER_LIST_LENGTH_ERROR = 0x1A00;

  /// The additional sense code for a parameter list with an invalid field (SPC-4, annex D).
  public static final int INVALID_FIELD_IN_PARAMETER_LIST = 0x2600;

  private static final long serialVersionUID = 1L;

  private final transient Sense sense;

  public CheckConditionException(Sense sense) {
    super("CHECK CONDITION " + sense);
    this.sense = sense;
  }

  /// Creates an exception with the sense key ILLEGAL REQUEST.
  ///
  /// @param code additional sense code and qualifier: `0x2600` is 26h/00h
  public static CheckConditionException illegalRequest(int code) {
    return new CheckConditionException(new Sense(SenseKey.ILLEGAL_REQUEST, code));
  }

  /// Creates the exception for a parameter list that is too short or too long.
  public static CheckConditionException listLength() {
    return illegalRequest(PARAMETER_LIST_LENGTH_ERROR);
  }

  /// Creates the exception for a parameter list with an invalid field.
  public static CheckConditionException listField() {
    return illegalRequest(INVALID_FIELD_IN_PARAMETER_LIST);
  }

  public Sense sense() {
    return sense;
  }

  @Override
  public synchronized Throwable fillInStackTrace() {
    return this;
  }
}
