package dev.pvcpopulators.registrystreamiscsi;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pvcpopulators.iscsitarget.scsi.Nexus;
import dev.pvcpopulators.iscsitarget.unit.LogicalUnit;
import dev.pvcpopulators.iscsitarget.unit.UnitStatistics;
import dev.pvcpopulators.volume.Part;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// One LUN: the image that it shows, and the logical unit that does, or one for each initiator.
final class ExportedLun {
  private static final int PERCENT = 100;
  private static final String ALL = "";

  /// Initiators with a logical unit of their own: each has files open, and anybody may call itself
  /// anything.
  private static final int MOST_INITIATORS = 256;

  private final LunRecord record;
  private final LunRequest request;
  private final CachedImage image;
  private final boolean perInitiator;
  private final Function<String, LogicalUnit> units;
  private final ConcurrentHashMap<String, LogicalUnit> made = new ConcurrentHashMap<>();
  private final OperationRate rate = new OperationRate();
  private volatile @Nullable String failure;
  private volatile boolean closed;

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
    LogicalUnit known = made.get(owner);
    return known == null ? make(owner) : known;
  }

  private synchronized LogicalUnit make(String owner) {
    if (closed) {
      throw new IllegalStateException("The LUN was closed");
    }
    if (made.size() >= MOST_INITIATORS && !made.containsKey(owner)) {
      throw new IllegalStateException(
          "LUN " + number() + " has overlays of " + MOST_INITIATORS + " initiators already");
    }
    LogicalUnit unit = made.computeIfAbsent(owner, units);
    String reason = failure;
    if (reason != null) {
      unit.fail(reason);
    }
    return unit;
  }

  /// The one logical unit of all initiators.
  LogicalUnit unit() {
    return made.values().iterator().next();
  }

  /// Whether it cannot be used any more: its image is not what it should be, or was lost.
  boolean isFailed() {
    return failure != null || image.state() == CachedImage.State.FAILED;
  }

  /// Ends its use for good.
  synchronized void fail(String reason) {
    failure = reason;
    made.values().forEach(it -> it.fail(reason));
  }

  /// Flushes and closes the logical units.
  void close() {
    Collection<LogicalUnit> all;
    synchronized (this) {
      closed = true;
      all = List.copyOf(made.values());
      made.clear();
    }
    all.forEach(LogicalUnit::close);
  }

  /// The figures of each logical unit.
  List<UnitStatistics> statistics() {
    return made.values().stream().map(LogicalUnit::statistics).toList();
  }

  /// How much of its disk is here.
  Part part() {
    return new Part(
        Part.Kind.LUN,
        Integer.toString(number()),
        switch (image.state()) {
          case PULLING -> Part.State.MOVING;
          case WAITING -> Part.State.WAITING;
          case COMPLETE -> Part.State.DONE;
          case FAILED -> Part.State.FAILED;
        },
        image.presentBytes(),
        length());
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
