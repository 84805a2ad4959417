package dev.pvcpopulators.iscsitarget.scsi;

import org.jspecify.annotations.Nullable;

/// The outcome of a command.
///
/// @param sense present if and only if the status is CHECK CONDITION
public record Response(Status status, @Nullable Sense sense) {
  public static final Response GOOD = new Response(Status.GOOD, null);
  public static final Response BUSY = new Response(Status.BUSY, null);
  public static final Response RESERVATION_CONFLICT =
      new Response(Status.RESERVATION_CONFLICT, null);

  public Response {
    if ((status == Status.CHECK_CONDITION) != (sense != null)) {
      throw new IllegalArgumentException("Sense data belongs to CHECK CONDITION, not " + status);
    }
  }

  public boolean good() {
    return status == Status.GOOD;
  }

  /// Returns CHECK CONDITION with sense data.
  public static Response check(Sense sense) {
    return new Response(Status.CHECK_CONDITION, sense);
  }

  /// Returns CHECK CONDITION with a sense key and an additional sense code.
  ///
  /// @param code as in [Sense]
  public static Response check(SenseKey key, int code) {
    return check(new Sense(key, code));
  }

  /// Returns CHECK CONDITION with ILLEGAL REQUEST, INVALID FIELD IN CDB.
  ///
  /// @param field the index of the CDB's byte that is in error
  public static Response invalidField(int field) {
    return check(Sense.invalidField(field));
  }
}
