package dev.pvcpopulators.registrystreamiscsi.lun;

import dev.pvcpopulators.iscsitarget.medium.DiskFiles;
import dev.pvcpopulators.iscsitarget.overlay.OverlayMedium;
import dev.pvcpopulators.registrystreamiscsi.storage.Documents;
import dev.pvcpopulators.registrystreamiscsi.storage.Reason;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.jboss.logging.Logger;

/// The directory of the LUNs. Each LUN has a subdirectory named by its number.
///
/// | File              | Holds                                                             |
/// |-------------------|-------------------------------------------------------------------|
/// | `lun.json`        | the LUN's record ([LunRecord]); without this file, there is no LUN |
/// | `overlay.img`, `overlay.map` | data written to the LUN, or copied from its image |
/// | `initiators/HASH/`| the overlay of one initiator, if each initiator has its own overlay |
/// | `initiators/HASH/initiator.json` | the network of the initiator ([InitiatorOverlays]) |
///
/// @param path the directory of the LUNs; it is created if it does not exist
public record LunDirectory(Path path) {
  private static final Logger LOG = Logger.getLogger(LunDirectory.class);
  private static final String RECORD = "lun.json";
  private static final String OVERLAY = "overlay";
  private static final String INITIATORS = "initiators";
  private static final Pattern NUMBER = Pattern.compile("[0-9]{1,5}");

  /// The LUNs left by a stopped service.
  ///
  /// @param records the records, by number
  /// @param unreadable numbers of LUNs with an unreadable record
  record Contents(TreeMap<Integer, LunRecord> records, TreeSet<Integer> unreadable) {}

  /// Returns the directory of a LUN.
  public Path home(int lun) {
    return path.resolve(Integer.toString(lun));
  }

  /// Returns the files of the overlay in the directory of a LUN or of an initiator.
  static DiskFiles overlay(Path home) {
    return DiskFiles.in(home, OVERLAY);
  }

  /// Returns the directory of one initiator. Creates the directory durably if it does not exist.
  ///
  /// @param name the directory's name
  static Path ofInitiator(Path home, String name) throws IOException {
    return Documents.directory(home.resolve(INITIATORS).resolve(name));
  }

  /// Returns the directories of a LUN's initiators.
  static List<Path> ofInitiators(Path home) throws IOException {
    return Documents.entries(home.resolve(INITIATORS));
  }

  /// Reads the stored LUNs. Removes directories that have no record or whose name is not a number.
  /// A directory has no record if its LUN was never exported, or if the removal of its LUN was
  /// interrupted.
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
          throw new IOException("it is the record of LUN " + record.lun());
        }
        contents.records().put(number, record);
      } catch (IOException | IllegalArgumentException e) {
        LOG.errorf("The LUN was not exported again: file=%s: %s", document, Reason.of(e));
        contents.unreadable().add(number);
      }
    }
    return contents;
  }

  private List<Path> entries() throws IOException {
    return Documents.entries(path).stream().filter(Files::isDirectory).toList();
  }

  /// Returns whether a LUN has an overlay with data, written by initiators or copied from the
  /// image.
  public boolean wasWritten(int lun) throws IOException {
    Path home = home(lun);
    List<Path> ofInitiators = ofInitiators(home);
    return !isUnwritten(home) || !ofInitiators.stream().allMatch(LunDirectory::isUnwritten);
  }

  /// Returns whether the directory of a LUN or of an initiator has no overlay with data; false if
  /// the overlay cannot be read.
  static boolean isUnwritten(Path directory) {
    try {
      return OverlayMedium.isUnwritten(overlay(directory));
    } catch (IOException e) {
      LOG.warnf(
          "An unreadable overlay counts as written: directory=%s: %s", directory, Reason.of(e));
      return false;
    }
  }

  /// Creates an empty directory for a LUN with a free number.
  public Path create(int lun) throws IOException {
    remove(lun);
    return Documents.directory(home(lun));
  }

  /// Writes a LUN's record.
  public void write(LunRecord record) throws IOException {
    Documents.write(home(record.lun()), RECORD, record.document());
  }

  /// Removes a LUN. The record is removed first, so that the rest of an interrupted removal does
  /// not count as a LUN.
  public void remove(int lun) throws IOException {
    Files.deleteIfExists(home(lun).resolve(RECORD));
    Documents.remove(home(lun));
  }

  /// Removes all LUNs. The records of all LUNs are removed first.
  public void removeAll() throws IOException {
    for (Path entry : entries()) {
      Files.deleteIfExists(entry.resolve(RECORD));
    }
    Documents.removeAllBut(path, List.of());
  }
}
