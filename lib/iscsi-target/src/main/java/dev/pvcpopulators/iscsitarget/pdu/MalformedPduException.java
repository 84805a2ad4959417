package dev.pvcpopulators.iscsitarget.pdu;

import java.io.IOException;

/// Thrown if a PDU violates the specification, the negotiated parameters or a limit of the target.
public final class MalformedPduException extends IOException {
  private static final long serialVersionUID = 1L;

  /// Creates an exception for one wrong field.
  ///
  /// @param field the name of the field in the specification
  public MalformedPduException(String field, String expected, long found) {
    super(field + ": expected " + expected + ", found " + found);
  }
}
