package dev.pvcpopulators.iscsitarget.inquiry;

import dev.pvcpopulators.iscsitarget.scsi.ParameterData;
import dev.pvcpopulators.iscsitarget.scsi.Response;
import dev.pvcpopulators.iscsitarget.scsi.Task;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// REPORT LUNS (SPC-4, section 6.33).
public final class ReportLuns {
  private static final int SELECT_REPORT_FIELD = 2;
  private static final int ALLOCATION_LENGTH_FIELD = 6;
  private static final int SHORTEST_ALLOCATION = 16;
  private static final int HEADER = 8;

  /// Values of SELECT REPORT.
  private static final int ADDRESSED = 0x00;

  private static final int WELL_KNOWN = 0x01;
  private static final int ALL = 0x02;

  private ReportLuns() {}

  public static Response run(Task task, LunInventory inventory) throws IOException {
    ByteBuffer cdb = task.cdb();
    long allocationLength = cdb.getInt(ALLOCATION_LENGTH_FIELD) & 0xFFFF_FFFFL;
    if (allocationLength < SHORTEST_ALLOCATION) {
      return Response.invalidField(ALLOCATION_LENGTH_FIELD);
    }
    byte[] data = data(cdb.get(SELECT_REPORT_FIELD) & 0xFF, inventory.luns(task.nexus()));
    if (data == null) {
      return Response.invalidField(SELECT_REPORT_FIELD);
    }
    inventory.reported(task.nexus());
    return ParameterData.send(task, data, allocationLength);
  }

  private static byte @Nullable [] data(int selectReport, List<Integer> luns) {
    boolean addressed = selectReport == ADDRESSED || selectReport == ALL;
    boolean wellKnown = selectReport == WELL_KNOWN || selectReport == ALL;
    if (!addressed && !wellKnown) {
      return null;
    }
    int count = (addressed ? luns.size() : 0) + (wellKnown ? 1 : 0);
    ByteBuffer data = ByteBuffer.allocate(HEADER + count * Long.BYTES);
    data.putInt(count * Long.BYTES).putInt(0);
    if (addressed) {
      luns.forEach(lun -> data.putLong(LunField.field(lun)));
    }
    if (wellKnown) {
      data.putLong(LunField.reportLuns());
    }
    return data.array();
  }
}
