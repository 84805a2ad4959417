package dev.pvcpopulators.iscsitarget.pdu;

import java.io.IOException;

/// A PDU that contradicts itself or the specification.
public final class MalformedPduException extends IOException {
  private static final long serialVersionUID = 1L;

  /// One field that is wrong.
  ///
  /// @param field what is wrong, in the specification's words
  public MalformedPduException(String field, String expected, long found) {
    super(field + ": expected " + expected + ", found " + found);
  }
}
