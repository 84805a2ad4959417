package dev.pvcpopulators.imagetoqcow2layers;

import dev.pvcpopulators.ext4.FileSystemFullException;
import dev.pvcpopulators.ext4.Geometry;
import dev.pvcpopulators.ext4.structure.UnrepresentableException;
import dev.pvcpopulators.imagetoqcow2layers.boot.UnbootableImageException;
import dev.pvcpopulators.imagetoqcow2layers.boot.UnknownUserException;
import dev.pvcpopulators.volume.Failure;
import dev.pvcpopulators.volume.disk.DiskVolume;
import dev.pvcpopulators.volume.source.SourceFailures;
import java.io.IOException;

/// What a client learns of an exception on the way from the registry to the stack.
final class LayersFailures {
  private LayersFailures() {}

  static Failure of(IOException e, LayersRequest asked, StoreLayout store, DiskVolume volume) {
    String action = "Converting " + asked.reference();
    return switch (e) {
      case FileSystemFullException full -> tooSmall(full, action);
      case UnrepresentableException unrepresentable ->
          new Failure.UnsupportedSource(action + ": " + unrepresentable.getMessage());
      case UnknownUserException unknown ->
          new Failure.UnsupportedSource(action + ": " + unknown.getMessage());
      case UnbootableImageException unbootable ->
          new Failure.UnsupportedSource(action + ": " + unbootable.getMessage());
      default ->
          SourceFailures.of(e, action)
              .or(() -> StoreFailures.of(e, action, store.root()))
              .orElseGet(() -> volume.failureOf(e, action));
    };
  }

  private static Failure tooSmall(FileSystemFullException full, String action) {
    String enough =
        full.required() > Geometry.MAX_SIZE
            ? "no file system of ext4 with 4 KiB blocks is large enough"
            : LayersRequest.PREFIX + "SIZE=" + DiskSize.of(full.required()) + " is enough";
    return new Failure.ExceedsVolume(
        action + ": " + full.getMessage() + "; " + enough, full.required(), full.size(), false);
  }
}
