package dev.pvcpopulators.registrystreamiscsi.lun;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pvcpopulators.iscsitarget.overlay.OverlayMedium;
import dev.pvcpopulators.iscsitarget.scsi.Nexus;
import dev.pvcpopulators.iscsitarget.unit.LogicalUnit;
import dev.pvcpopulators.iscsitarget.unit.UnitStatistics;
import dev.pvcpopulators.registrystreamiscsi.image.CachedImage;
import dev.pvcpopulators.registrystreamiscsi.image.ImageRecord;
import dev.pvcpopulators.registrystreamiscsi.settings.LunRequest;
import dev.pvcpopulators.volume.Part;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// One exported LUN: its image, and either one logical unit for all initiators or one for each
/// initiator.
public final class ExportedLun {
  private static final int PERCENT = 100;
  private static final String ALL = "";
  private static final UnitStatistics NOTHING = new UnitStatistics(0, 0, 0, 0, 0);

  private final LunRecord record;
  private final LunRequest request;
  private final CachedImage image;
  private final @Nullable InitiatorOverlays overlays;
  private final Function<String, LogicalUnit> units;
  private final ConcurrentHashMap<String, LogicalUnit> made = new ConcurrentHashMap<>();

  /// Sessions by initiator, if each initiator has its own logical unit.
  private final Map<String, Set<Nexus>> sessions = new HashMap<>();

  /// The sum of the statistics of all logical units that [#left] closed.
  private volatile UnitStatistics gone = NOTHING;

  private final OperationRate rate = new OperationRate();
  private volatile @Nullable String failure;
  private volatile boolean closed;

  /// Creates a LUN.
  ///
  /// @param overlays the overlays of the initiators if each initiator has its own logical unit;
  ///   null if all initiators share one unit
  /// @param units creates a logical unit from the name of an initiator, or from the empty name if
  ///   all initiators share one unit
  ExportedLun(
      LunRecord record,
      LunRequest request,
      CachedImage image,
      @Nullable InitiatorOverlays overlays,
      Function<String, LogicalUnit> units) {
    this.record = record;
    this.request = request;
    this.image = image;
    this.overlays = overlays;
    this.units = units;
    if (overlays == null) {
      made.put(ALL, units.apply(ALL));
    }
  }

  public int number() {
    return record.lun();
  }

  public LunRecord record() {
    return record;
  }

  public LunRequest request() {
    return request;
  }

  public CachedImage image() {
    return image;
  }

  /// Returns the disk's length in bytes; 0 if it is not known yet.
  public long length() {
    ImageRecord described = image.description();
    return described == null ? 0 : described.length();
  }

  /// Returns the logical unit for an initiator. Called when a session first addresses the LUN, and
  /// again only if the previous call threw an exception.
  ///
  /// @throws IllegalStateException if each initiator has its own logical unit, and either there are
  ///   too many overlays or the LUN was closed
  /// @throws UncheckedIOException if the initiator's own logical unit cannot be created
  public LogicalUnit unit(Nexus nexus) {
    InitiatorOverlays own = overlays;
    return own == null ? unit() : make(own, nexus);
  }

  private synchronized LogicalUnit make(InitiatorOverlays own, Nexus nexus) {
    if (closed) {
      throw new IllegalStateException("The LUN was closed");
    }
    String owner = nexus.port().initiatorName();
    LogicalUnit known = made.get(owner);
    LogicalUnit unit = known == null ? make(own, owner, nexus.address()) : known;
    sessions.computeIfAbsent(owner, _ -> new HashSet<>()).add(nexus);
    return unit;
  }

  private LogicalUnit make(InitiatorOverlays own, String owner, InetAddress address) {
    try {
      own.take(LunMedia.hash(owner), address);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    LogicalUnit unit;
    try {
      unit = units.apply(owner);
    } catch (RuntimeException e) {
      own.remove(LunMedia.hash(owner));
      throw e;
    }
    made.put(owner, unit);
    String reason = failure;
    if (reason != null) {
      unit.fail(reason);
    }
    return unit;
  }

  /// Handles the end of a session. After the last session of an initiator, removes the initiator's
  /// overlay if the overlay has no data. As a result, sessions with invented initiator names leave
  /// no empty overlays. An initiator that returns finds the same content in a new overlay.
  public synchronized void left(Nexus nexus) {
    String owner = nexus.port().initiatorName();
    Set<Nexus> others = sessions.get(owner);
    if (overlays == null || closed || others == null || !others.remove(nexus)) {
      return;
    }
    LogicalUnit unit = made.get(owner);
    if (!others.isEmpty()) {
      return;
    }
    sessions.remove(owner);
    if (unit != null && unit.medium() instanceof OverlayMedium overlay && overlay.ownBytes() == 0) {
      made.remove(owner);
      unit.close();
      gone = sum(gone, unit.statistics());
      overlays.remove(LunMedia.hash(owner));
    }
  }

  private static UnitStatistics sum(UnitStatistics one, UnitStatistics other) {
    return new UnitStatistics(
        one.reads() + other.reads(),
        one.writes() + other.writes(),
        one.bytesRead() + other.bytesRead(),
        one.bytesWritten() + other.bytesWritten(),
        one.waiting() + other.waiting());
  }

  /// Returns the one logical unit shared by all initiators. Call this method only if the initiators
  /// share one unit, and only before [#close].
  public LogicalUnit unit() {
    return made.values().iterator().next();
  }

  /// Returns whether the LUN has failed: the content of its image is or may be wrong, or the
  /// image's pull ended without success.
  public boolean isFailed() {
    return failure != null || image.state() == CachedImage.State.FAILED;
  }

  /// Marks the LUN as failed, permanently.
  public synchronized void fail(String reason) {
    failure = reason;
    made.values().forEach(it -> it.fail(reason));
  }

  /// Flushes and closes the logical units.
  public void close() {
    Collection<LogicalUnit> all;
    synchronized (this) {
      closed = true;
      all = List.copyOf(made.values());
      made.clear();
      sessions.clear();
    }
    all.forEach(LogicalUnit::close);
  }

  /// Returns the statistics: first the sum over the logical units that [#left] closed, then one
  /// element for each open logical unit.
  public List<UnitStatistics> statistics() {
    List<UnitStatistics> all = new ArrayList<>();
    all.add(gone);
    made.values().forEach(it -> all.add(it.statistics()));
    return all;
  }

  /// Returns the LUN as a part of the volume, with the present bytes and the length of its disk.
  public Part part() {
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

  /// Returns the LUN's entry in the status.
  public ObjectNode document() {
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
    UnitStatistics all = statistics().stream().reduce(NOTHING, ExportedLun::sum);
    return document
        .put("reads", all.reads())
        .put("writes", all.writes())
        .put("bytesRead", all.bytesRead())
        .put("bytesWritten", all.bytesWritten())
        .put("iops", rate.perSecond(all.reads() + all.writes()))
        .put("waiting", all.waiting());
  }
}
