package dev.pvcpopulators.kit.job;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.pvcpopulators.kit.lifecycle.Cancellation;
import dev.pvcpopulators.kit.lifecycle.Populator;
import dev.pvcpopulators.kit.lifecycle.Progress;
import dev.pvcpopulators.kit.lifecycle.Recovered;
import dev.pvcpopulators.volume.Failure;
import dev.pvcpopulators.volume.Part;
import dev.pvcpopulators.volume.PvcSource;
import dev.pvcpopulators.volume.VolumeException;
import dev.pvcpopulators.volume.VolumeRequest;
import dev.pvcpopulators.volume.VolumeSource;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BlockingQueue;

/// A populator that takes one step for each line of input. Its format, its names and its messages
/// contain control sequences of a terminal.
///
/// @param keys the input lines: `on`, `unbounded`, `log`, `flush`, `finish`, `fail`
record TypedPopulator(BlockingQueue<String> keys) implements Populator {
  static final long MEBI = 1L << 20;

  /// A name with a bell, colours, a window title (OSC), the C1 control character CSI, a change of
  /// text direction, and a line break.
  static final String HOSTILE = "a\u0007b\u001b[31mc\u001b]0;pwned\u0007d\u009b2Je\u202ef\r\ng";

  @Override
  public String name() {
    return "typed";
  }

  @Override
  public Set<String> overridableFields() {
    return Set.of();
  }

  @Override
  public VolumeSource create(VolumeRequest request, Progress progress, Cancellation cancellation)
      throws VolumeException, InterruptedException {
    progress.virtualSize(2_000 * MEBI);
    progress.format("qcow2+" + HOSTILE);
    progress.sourceDigest("sha256:0123");
    progress.details(JsonNodeFactory.instance.objectNode().put("image", HOSTILE));
    progress.parts(() ->
        List.of(
            new Part(Part.Kind.LAYER, HOSTILE, Part.State.DONE, 1, 1),
            new Part(Part.Kind.LAYER, HOSTILE, Part.State.MOVING, 1, 1),
            new Part(Part.Kind.LAYER, HOSTILE, Part.State.WAITING, 0, 1)));
    progress.total(1_000 * MEBI);
    progress.received(420 * MEBI);
    progress.written(500 * MEBI);
    while (true) {
      switch (keys.take()) {
        case "on" -> progress.received(100 * MEBI);
        case "unbounded" -> progress.total(-1);
        case "log" -> System.err.println("told meanwhile " + HOSTILE);
        case "flush" -> progress.finalizing();
        case "finish" -> {
          return new PvcSource("typed");
        }
        case "fail" ->
            throw new VolumeException(new Failure.SourceNotFound("Nothing there: " + HOSTILE));
        default -> throw new IllegalArgumentException("on, unbounded, log, flush, finish or fail");
      }
    }
  }

  @Override
  public void delete() {}

  @Override
  public Optional<Recovered> recover() {
    return Optional.empty();
  }
}
