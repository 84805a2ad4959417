package dev.pvcpopulators.diskimage.foreign;

import dev.pvcpopulators.diskimage.ExceedsVolumeException;
import dev.pvcpopulators.diskimage.ImageFormat;
import dev.pvcpopulators.diskimage.MalformedImageException;
import dev.pvcpopulators.diskimage.UnsupportedFeatureException;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.jspecify.annotations.Nullable;

/// Runs the program `qemu-img` on an image that [ForeignImage#check] has accepted. The program gets
/// an explicit format, so that it never probes the image. The program runs with resource limits,
/// and its environment contains only `PATH` and `LC_ALL`.
///
/// @param executable absolute path of the program
public record QemuImg(Path executable, Limits limits) {
  private static final String SEARCH_PATH = "/usr/local/bin:/usr/bin:/bin";
  private static final int ERROR_LENGTH = 2000;

  /// The size limit of the file that the program writes is the virtual size plus this number of
  /// bytes, because the program may round the length of the file up to its own granularity while it
  /// writes.
  private static final long SLACK = 1 << 20;

  /// `ulimit` takes processor time in seconds, virtual memory in KiB, and the size of a written
  /// file in blocks of 512 bytes (POSIX).
  private static final String LIMITED =
      "ulimit -t \"$1\" && ulimit -v \"$2\" && ulimit -f \"$3\" && shift 3 && exec \"$@\"";

  private static final int BLOCK = 512;

  /// Resource limits of one run.
  ///
  /// @param cpu processor time
  /// @param wall time from start to end
  /// @param addressSpace bytes of virtual memory
  public record Limits(Duration cpu, Duration wall, long addressSpace) {
    /// One hour of processor time, 2 GiB of virtual memory, and four hours of wall time. The limit
    /// of wall time is higher because the disk may be slow.
    public static final Limits DEFAULT =
        new Limits(Duration.ofHours(1), Duration.ofHours(4), 2L << 30);
  }

  /// Finds `qemu-img` in a directory of this process's `PATH`, or in `/usr/local/bin`, `/usr/bin`
  /// or `/bin`.
  ///
  /// @throws UnsupportedFeatureException if the program is not installed
  public static QemuImg find(Limits limits) throws UnsupportedFeatureException {
    String path = System.getenv().getOrDefault("PATH", "") + File.pathSeparator + SEARCH_PATH;
    for (String directory : path.split(File.pathSeparator, -1)) {
      Path candidate = Path.of(directory, "qemu-img");
      if (candidate.isAbsolute() && Files.isExecutable(candidate)) {
        return new QemuImg(candidate, limits);
      }
    }
    throw new UnsupportedFeatureException(
        "VMDK, VDI, VHD and VHDX are converted by qemu-img, which is not installed here (Debian:"
            + " qemu-utils, Fedora: qemu-img); bring the disk as "
            + ImageFormat.names(ImageFormat::onePass));
  }

  /// Converts the image to a raw disk, with holes for zeros. An interrupt of the calling thread
  /// ends the program.
  ///
  /// The result may be only in the page cache; the caller must flush it.
  ///
  /// @param spool the image that was checked
  /// @param target a file, replaced if it exists, or a block device that is large enough
  /// @throws MalformedImageException if the target is a file and its new length is not the virtual
  ///   size of `image`, or if the program fails for a reason that is not listed below
  /// @throws ExceedsVolumeException if the target's file system is full or its quota is exceeded
  /// @throws UnsupportedFeatureException if the program exceeds the limit of wall time, or if a
  ///   signal ended the program, for example because the program exceeded another limit
  /// @throws InterruptedIOException if the calling thread is interrupted
  /// @throws IOException if the program cannot be started, or if it cannot write to the target for
  ///   a reason other than a full file system or an exceeded quota
  public void convert(ForeignImage image, Path spool, Path target) throws IOException {
    boolean file = !Files.exists(target) || Files.isRegularFile(target);
    List<String> command = limited(image.virtualSize());
    command.addAll(
        List.of(
            executable.toString(),
            "convert",
            "-q",
            "-f",
            image.format().qemuDriver(),
            "-O",
            "raw"));
    if (!file) {
      command.add("-n");
    }
    // The file names are absolute: if a relative name contains a colon, qemu-img parses the text
    // before the colon as a protocol.
    command.add(spool.toAbsolutePath().toString());
    command.add(target.toAbsolutePath().toString());
    run(command, image, target);
    if (file && Files.size(target) != image.virtualSize()) {
      throw new MalformedImageException(
          image.format().name(),
          -1,
          "expected a disk of %s bytes, qemu-img made %s"
              .formatted(image.virtualSize(), Files.size(target)));
    }
  }

  private List<String> limited(long virtualSize) {
    long blocks = Math.addExact(virtualSize, SLACK) / BLOCK;
    return new ArrayList<>(
        List.of(
            "/bin/sh",
            "-c",
            LIMITED,
            "sh",
            Long.toString(Math.max(1, limits.cpu.toSeconds())),
            Long.toString(limits.addressSpace >> 10),
            Long.toString(blocks)));
  }

  private void run(List<String> command, ForeignImage image, Path target) throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectOutput(ProcessBuilder.Redirect.DISCARD);
    builder.environment().clear();
    builder.environment().putAll(Map.of("PATH", SEARCH_PATH, "LC_ALL", "C"));
    Process process = builder.start();
    try {
      process.getOutputStream().close();
      FutureTask<String> errors = new FutureTask<>(() -> errors(process.getErrorStream()));
      Thread.ofVirtual().start(errors);
      if (!process.waitFor(limits.wall)) {
        throw new UnsupportedFeatureException(
            image.format() + ": the conversion takes longer than " + limits.wall);
      }
      if (process.exitValue() != 0) {
        throw failure(process.exitValue(), errors.get(), image, target);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      InterruptedIOException interrupted = new InterruptedIOException("Conversion cancelled");
      interrupted.initCause(e);
      throw interrupted;
    } catch (ExecutionException e) {
      throw new IOException("Cannot read the output of qemu-img", e);
    } finally {
      // The shell has replaced itself with qemu-img, so there is no other process to end.
      process.destroyForcibly();
    }
  }

  private IOException failure(int status, String errors, ForeignImage image, Path target)
      throws IOException {
    if (errors.contains("No space left on device") || errors.contains("Disk quota exceeded")) {
      @Nullable Path place = Files.exists(target) ? target : target.toAbsolutePath().getParent();
      long usable = place == null ? 0 : Files.getFileStore(place).getUsableSpace();
      return ExceedsVolumeException.fullNow(image.virtualSize(), usable);
    }
    if (errors.contains("error while writing") || errors.contains("Read-only file system")) {
      return new IOException("qemu-img: " + errors); // The image is not the cause.
    }
    // The shell and the JDK report a signal as 128 plus its number.
    boolean killed = status > 128;
    return killed
        ? new UnsupportedFeatureException(
            image.format()
                + ": qemu-img was ended by signal "
                + (status - 128)
                + "; it may take "
                + limits)
        : new MalformedImageException(image.format().name(), -1, "qemu-img: " + errors);
  }

  /// Returns the beginning of the error output on one line; reads and drops the rest, so that the
  /// program does not block.
  private static String errors(InputStream stream) throws IOException {
    try (stream) {
      byte[] kept = stream.readNBytes(ERROR_LENGTH);
      stream.transferTo(OutputStream.nullOutputStream());
      return new String(kept, StandardCharsets.UTF_8).replaceAll("\\p{Cntrl}+", " ").trim();
    }
  }
}
