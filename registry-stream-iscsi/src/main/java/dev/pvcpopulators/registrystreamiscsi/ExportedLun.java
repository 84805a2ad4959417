package dev.pvcpopulators.registrystreamiscsi;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pvcpopulators.iscsitarget.scsi.Nexus;
import dev.pvcpopulators.iscsitarget.unit.LogicalUnit;
import dev.pvcpopulators.iscsitarget.unit.UnitStatistics;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/// One LUN: the image that it shows, and the logical unit that does, or one for each initiator.
final class ExportedLun {
  private static final int PERCENT = 100;
  private static final String ALL = "";

  private final LunRecord record;
  private final LunRequest request;
  private final CachedImage image;
  private final boolean perInitiator;
  private final Function<String, LogicalUnit> units;
  private final ConcurrentHashMap<String, LogicalUnit> made = new ConcurrentHashMap<>();
  private final OperationRate rate = new OperationRate();

  /// @param perInitiator whether each initiator sees a logical unit of its own
  /// @param units makes a logical unit, by the initiator's name where each has its own
  ExportedLun(
      LunRecord record,
      LunRequest request,
      CachedImage image,
      boolean perInitiator,
      Function<String, LogicalUnit> units) {
    this.record = record;
    this.request = request;
    this.image = image;
    this.perInitiator = perInitiator;
    this.units = units;
    if (!perInitiator) {
      made.put(ALL, units.apply(ALL));
    }
  }

  int number() {
    return record.lun();
  }

  LunRecord record() {
    return record;
  }

  LunRequest request() {
    return request;
  }

  CachedImage image() {
    return image;
  }

  /// Bytes of the disk.
  long length() {
    ImageRecord described = image.description();
    return described == null ? 0 : described.length();
  }

  /// What an initiator sees there.
  LogicalUnit unit(Nexus nexus) {
    String owner = perInitiator ? nexus.port().initiatorName() : ALL;
    return made.computeIfAbsent(owner, units);
  }

  /// The one logical unit of all initiators.
  LogicalUnit unit() {
    return made.values().iterator().next();
  }

  /// Ends its use for good.
  void fail(String reason) {
    made.values().forEach(it -> it.fail(reason));
  }

  /// Flushes and closes the logical units.
  void close() {
    Collection<LogicalUnit> all = List.copyOf(made.values());
    made.clear();
    all.forEach(LogicalUnit::close);
  }

  /// The figures of each logical unit.
  List<UnitStatistics> statistics() {
    return made.values().stream().map(LogicalUnit::statistics).toList();
  }

  /// As the status shows it.
  ObjectNode document() {
    ObjectNode document =
        JsonNodeFactory.instance
            .objectNode()
            .put("lun", number())
            .put("image", request.image().reference().toString())
            .put("digest", image.source())
            .put("accessMode", LunRequest.word(request.access()))
            .put("copyMode", LunRequest.word(request.copy()))
            .put("state", LunRequest.word(image.state()));
    String reason = image.reason();
    if (reason != null) {
      document.put("reason", reason);
    }
    if (length() > 0) {
      long present = image.presentBytes();
      document.put("bytes", length()).put("presentBytes", present);
      document.put("percent", (int) (present * (double) PERCENT / Math.max(1, length())));
    }
    long reads = 0;
    long writes = 0;
    long bytesRead = 0;
    long bytesWritten = 0;
    int waiting = 0;
    for (UnitStatistics figures : statistics()) {
      reads += figures.reads();
      writes += figures.writes();
      bytesRead += figures.bytesRead();
      bytesWritten += figures.bytesWritten();
      waiting += figures.waiting();
    }
    return document
        .put("reads", reads)
        .put("writes", writes)
        .put("bytesRead", bytesRead)
        .put("bytesWritten", bytesWritten)
        .put("iops", rate.perSecond(reads + writes))
        .put("waiting", waiting);
  }
}
