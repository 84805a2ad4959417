package dev.pvcpopulators.iscsitarget.reservation;

import dev.pvcpopulators.iscsitarget.scsi.InitiatorPort;
import dev.pvcpopulators.iscsitarget.scsi.Response;
import dev.pvcpopulators.iscsitarget.scsi.UnitAttention;
import java.util.Map;
import java.util.Set;

/// The consequences of a PERSISTENT RESERVE OUT command.
///
/// @param attentions the unit attentions for other initiator ports
/// @param abort the ports whose commands are aborted
public record ReservationOutcome(
    Response response, Map<InitiatorPort, UnitAttention> attentions, Set<InitiatorPort> abort) {
  static final ReservationOutcome GOOD = of(Response.GOOD);

  public ReservationOutcome {
    attentions = Map.copyOf(attentions);
    abort = Set.copyOf(abort);
  }

  static ReservationOutcome of(Response response) {
    return new ReservationOutcome(response, Map.of(), Set.of());
  }
}
