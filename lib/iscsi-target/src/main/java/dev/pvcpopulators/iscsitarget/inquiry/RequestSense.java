package dev.pvcpopulators.iscsitarget.inquiry;

import dev.pvcpopulators.iscsitarget.scsi.ParameterData;
import dev.pvcpopulators.iscsitarget.scsi.Response;
import dev.pvcpopulators.iscsitarget.scsi.Sense;
import dev.pvcpopulators.iscsitarget.scsi.SenseKey;
import dev.pvcpopulators.iscsitarget.scsi.Task;
import java.io.IOException;
import java.nio.ByteBuffer;

/// The data of REQUEST SENSE (SPC-4, section 6.39), in fixed format. A CDB with the DESC bit, which
/// requests the descriptor format, is refused.
public final class RequestSense {
  public static final Sense NO_SENSE = new Sense(SenseKey.NO_SENSE, 0x0000);

  private static final int DESC_FIELD = 1;
  private static final int DESC = 0x01;
  private static final int ALLOCATION_LENGTH_FIELD = 4;

  private RequestSense() {}

  /// Returns whether the CDB requests the descriptor format, which is not supported.
  public static boolean wantsDescriptors(ByteBuffer cdb) {
    return (cdb.get(DESC_FIELD) & DESC) != 0;
  }

  public static Response send(Task task, Sense sense) throws IOException {
    ByteBuffer cdb = task.cdb();
    if (wantsDescriptors(cdb)) {
      return Response.invalidField(DESC_FIELD);
    }
    ByteBuffer data = ByteBuffer.allocate(Sense.LENGTH);
    sense.write(data);
    return ParameterData.send(task, data.array(), cdb.get(ALLOCATION_LENGTH_FIELD) & 0xFF);
  }
}
