package dev.pvcpopulators.it.torture.subject;

import dev.pvcpopulators.it.Nginx;
import dev.pvcpopulators.it.StreamLaunch;
import dev.pvcpopulators.it.torture.content.Disk;
import dev.pvcpopulators.it.torture.content.Images;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/// The subjects of a run, created below one directory.
///
/// @param sources the servers from which the subjects read; closed after the subjects
public record Subjects(List<Subject> all, List<Closeable> sources) implements AutoCloseable {
  /// A constant seed for the disks. Each run has the same disks, so that the seed of a round
  /// determines the whole round.
  private static final long DISKS = 8;

  public Subjects {
    all = List.copyOf(all);
    sources = List.copyOf(sources);
  }

  /// Makes all subjects, or one of them.
  ///
  /// @param only the name of the only subject; empty for all. If no subject has this name, the
  ///   result has no subjects.
  public static Subjects in(Path work, String only) throws IOException, InterruptedException {
    List<Subject> all = new ArrayList<>();
    List<Closeable> sources = new ArrayList<>();
    boolean uploads = only.isEmpty() || only.startsWith(HttpUpload.SERVICE);
    boolean downloads = only.isEmpty() || only.startsWith(HttpCopy.SERVICE);
    boolean copies = only.isEmpty() || only.startsWith(RegistryCopy.SERVICE);
    List<Disk> disks =
        uploads || downloads || copies ? Disk.all(work, new Random(DISKS)) : List.of();
    if (uploads) {
      all.add(new HttpUpload(work, disks, false));
      all.add(new HttpUpload(work, disks, true));
    }
    if (downloads) {
      Nginx server = HttpCopy.serve(work, disks);
      sources.add(server);
      all.add(new HttpCopy(work, server, disks, false));
      all.add(new HttpCopy(work, server, disks, true));
    }
    if (copies) {
      Images images = Images.of(work, disks);
      sources.add(images);
      all.add(new RegistryCopy(work, images, false));
      all.add(new RegistryCopy(work, images, true));
    }
    if (only.isEmpty() || only.startsWith(StreamLaunch.NAME)) {
      all.add(StreamIscsi.in(work, new Random(DISKS)));
    }
    if (only.isEmpty() || only.startsWith(ImageToQcow2Layers.SERVICE)) {
      var machines = ImageToQcow2Layers.machines(work, new Random(DISKS));
      sources.add(machines);
      all.add(new ImageToQcow2Layers(work, machines, false));
      all.add(new ImageToQcow2Layers(work, machines, true));
    }
    all.removeIf(subject -> !only.isEmpty() && !subject.name().equals(only));
    return new Subjects(all, sources);
  }

  @Override
  public void close() throws IOException {
    for (Subject subject : all) {
      subject.close();
    }
    for (Closeable source : sources) {
      source.close();
    }
  }
}
