package dev.pvcpopulators.kubernetes;

import dev.pvcpopulators.kubernetes.foreign.VirtualMachine;
import io.fabric8.kubernetes.api.model.Container;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/// Images are those that the project's build makes, in this version; others say which version.
final class Images implements Check {
  @Override
  public List<String> faults(Rendering rendering, Surroundings surroundings) {
    List<String> faults = new ArrayList<>();
    for (Workload workload : rendering.workloads()) {
      for (Container container : workload.containers()) {
        image(workload.id(container), container.getImage(), faults);
      }
    }
    rendering
        .of(VirtualMachine.class)
        .forEach(resource ->
            images((VirtualMachine) resource.model())
                .forEach(image -> pinned(resource.id(), image, faults)));
    return faults;
  }

  private static void image(String id, String image, List<String> faults) {
    PopulatorService.ofImage(image)
        .ifPresentOrElse(
            service -> {
              if (!image.equals(service.image())) {
                faults.add(id + ": expected the image " + service.image() + ", found " + image);
              }
            },
            () -> {
              if (image.startsWith(PopulatorService.REPOSITORY)) {
                faults.add(id + ": the project builds no image " + image);
              }
              pinned(id, image, faults);
            });
  }

  private static void pinned(String id, String image, List<String> faults) {
    String last = image.substring(image.lastIndexOf('/') + 1);
    if (!last.contains(":") && !last.contains("@") || last.endsWith(":latest")) {
      faults.add(id + ": expected a tag or a digest besides latest, found " + image);
    }
  }

  private static Stream<String> images(VirtualMachine machine) {
    List<String> images = new ArrayList<>();
    if (machine.spec() == null) {
      return images.stream();
    }
    VirtualMachine.InstanceSpec spec = machine.spec().template().spec();
    if (spec.domain().firmware() != null && spec.domain().firmware().kernelBoot() != null) {
      images.add(spec.domain().firmware().kernelBoot().container().image());
    }
    for (VirtualMachine.Volume volume : volumes(spec)) {
      if (volume.containerDisk() != null) {
        images.add(volume.containerDisk().image());
      }
    }
    return images.stream();
  }

  private static List<VirtualMachine.Volume> volumes(VirtualMachine.InstanceSpec spec) {
    return spec.volumes() == null ? List.of() : spec.volumes();
  }
}
