package dev.pvcpopulators.registrystreamiscsi;

import dev.pvcpopulators.iscsitarget.medium.DiskFiles;
import dev.pvcpopulators.iscsitarget.overlay.OverlayMedium;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jboss.logging.Logger;

/// The directory of the LUNs: each has one of its own, named by its number.
///
/// | File              | Holds                                                             |
/// |-------------------|-------------------------------------------------------------------|
/// | `lun.json`        | which LUN it is ([LunRecord]); without it there is no LUN yet     |
/// | `overlay.img`, `overlay.map` | what was written to it                                 |
/// | `initiators/HASH/`| the same for one initiator, where each has its own                |
/// | `initiators/HASH/initiator.json` | from where it came ([InitiatorOverlays])           |
///
/// @param path made where it is missing
record LunDirectory(Path path) {
  private static final Logger LOG = Logger.getLogger(LunDirectory.class);
  private static final String RECORD = "lun.json";
  private static final String OVERLAY = "overlay";
  private static final String INITIATORS = "initiators";
  private static final Pattern NUMBER = Pattern.compile("[0-9]{1,5}");

  /// What a stopped service has left here.
  ///
  /// @param records by number
  /// @param unreadable numbers of LUNs of which it cannot be told what they are
  record Contents(TreeMap<Integer, LunRecord> records, TreeSet<Integer> unreadable) {}

  /// Where a LUN keeps what it has.
  Path home(int lun) {
    return path.resolve(Integer.toString(lun));
  }

  /// The files of what was written to a LUN by all.
  static DiskFiles overlay(Path home) {
    return DiskFiles.in(home, OVERLAY);
  }

  /// The directory of one initiator, made where it is missing; it outlives a loss of power.
  ///
  /// @param name of its directory
  static Path ofInitiator(Path home, String name) throws IOException {
    return Documents.directory(home.resolve(INITIATORS).resolve(name));
  }

  /// The directories of the initiators that have one.
  static List<Path> ofInitiators(Path home) throws IOException {
    Path all = home.resolve(INITIATORS);
    if (!Files.isDirectory(all, LinkOption.NOFOLLOW_LINKS)) {
      return List.of();
    }
    try (Stream<Path> listing = Files.list(all)) {
      return listing.toList();
    }
  }

  /// Looks at what is here. What has no document was never offered to anybody, and is removed.
  Contents contents() throws IOException {
    Contents contents = new Contents(new TreeMap<>(), new TreeSet<>());
    for (Path entry : entries()) {
      Path document = entry.resolve(RECORD);
      boolean ours = NUMBER.matcher(entry.getFileName().toString()).matches();
      if (!ours || !Files.exists(document, LinkOption.NOFOLLOW_LINKS)) {
        Documents.remove(entry);
        continue;
      }
      int number = Integer.parseInt(entry.getFileName().toString());
      try {
        LunRecord record = LunRecord.read(Documents.read(document));
        if (record.lun() != number) {
          throw new IOException("it is that of LUN " + record.lun());
        }
        contents.records().put(number, record);
      } catch (IOException | IllegalArgumentException e) {
        LOG.errorf("Not exported again: file=%s: %s", document, Reason.of(e));
        contents.unreadable().add(number);
      }
    }
    return contents;
  }

  private List<Path> entries() throws IOException {
    if (!Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
      return List.of();
    }
    try (Stream<Path> listing = Files.list(path)) {
      return listing.filter(Files::isDirectory).toList();
    }
  }

  /// Whether initiators wrote to a LUN, or it kept what they read.
  boolean wasWritten(int lun) throws IOException {
    Path home = home(lun);
    List<Path> homes = new ArrayList<>(List.of(home));
    homes.addAll(ofInitiators(home));
    for (Path each : homes) {
      try {
        if (!OverlayMedium.isUnwritten(overlay(each))) {
          return true;
        }
      } catch (IOException e) {
        LOG.warnf("Taken for written: directory=%s: %s", each, Reason.of(e));
        return true;
      }
    }
    return false;
  }

  /// An empty directory for a LUN whose number is free.
  Path create(int lun) throws IOException {
    remove(lun);
    return Documents.directory(home(lun));
  }

  /// Notes what a LUN is.
  void write(LunRecord record) throws IOException {
    Documents.write(home(record.lun()), RECORD, record.document());
  }

  /// Removes a LUN, its document first: what is left when this is cut short is no LUN.
  void remove(int lun) throws IOException {
    Files.deleteIfExists(home(lun).resolve(RECORD));
    Documents.remove(home(lun));
  }

  /// Removes all LUNs, all documents first.
  void removeAll() throws IOException {
    for (Path entry : entries()) {
      Files.deleteIfExists(entry.resolve(RECORD));
    }
    Documents.removeAllBut(path, List.of());
  }
}
