package dev.pvcpopulators.kubernetes.check;

import dev.pvcpopulators.kubernetes.foreign.HttpRoute;
import dev.pvcpopulators.kubernetes.manifest.PopulatorService;
import dev.pvcpopulators.kubernetes.manifest.Rendering;
import dev.pvcpopulators.kubernetes.manifest.Resource;
import dev.pvcpopulators.kubernetes.manifest.Surroundings;
import dev.pvcpopulators.kubernetes.manifest.Workload;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.networking.v1.Ingress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/// Checks that an Ingress or an HTTPRoute exposes only paths for callers, and not the paths of
/// probes or metrics. Also checks that ingress-nginx knows the annotations of an Ingress.
final class IngressRules implements Check {
  private static final String VOLUME = "/volume";
  private static final String UPLOAD = "/upload";

  /// Annotations of ingress-nginx
  /// (kubernetes.github.io/ingress-nginx/user-guide/nginx-configuration/annotations). ingress-nginx
  /// silently ignores unknown annotations.
  private static final Set<String> ANNOTATIONS =
      Set.of(
          "nginx.ingress.kubernetes.io/proxy-body-size",
          "nginx.ingress.kubernetes.io/proxy-request-buffering",
          "nginx.ingress.kubernetes.io/proxy-buffering",
          "nginx.ingress.kubernetes.io/proxy-read-timeout",
          "nginx.ingress.kubernetes.io/proxy-send-timeout",
          "nginx.ingress.kubernetes.io/proxy-next-upstream");

  @Override
  public List<String> faults(Rendering rendering, Surroundings surroundings) {
    List<String> faults = new ArrayList<>();
    rendering
        .of(Ingress.class)
        .forEach(resource -> {
          Objects.requireNonNullElse(resource.metadata().getAnnotations(), Map.<String, String>of())
              .keySet()
              .stream()
              .filter(name -> !ANNOTATIONS.contains(name))
              .forEach(
                  name -> faults.add(resource.id() + ": the annotation " + name + " is not known"));
          ((Ingress) resource.model())
              .getSpec().getRules().stream()
                  .flatMap(rule -> rule.getHttp().getPaths().stream())
                  .forEach(path -> {
                    String service = path.getBackend().getService().getName();
                    String said = Objects.requireNonNullElse(path.getPath(), "/");
                    path(resource, service, said, rendering, faults);
                  });
        });
    rendering
        .of(HttpRoute.class)
        .forEach(resource ->
            ((HttpRoute) resource.model())
                .spec()
                .rules()
                .forEach(rule -> rule(resource, rule, rendering, faults)));
    return faults;
  }

  private static void rule(
      Resource resource, HttpRoute.Rule rule, Rendering rendering, List<String> faults) {
    for (HttpRoute.BackendRef backend : rule.backendRefs()) {
      for (HttpRoute.Match match : rule.matches()) {
        path(resource, backend.name(), match.path().value(), rendering, faults);
      }
    }
  }

  private static void path(
      Resource resource, String name, String said, Rendering rendering, List<String> faults) {
    List<String> known =
        rendering
            .of(Service.class)
            .filter(service -> resource.sameNamespace(service))
            .filter(service -> service.name().equals(name))
            .map(service -> ((Service) service.model()).getSpec().getSelector())
            .flatMap(selector ->
                rendering.workloads().stream().filter(workload -> workload.matches(selector)))
            .flatMap(Workload::services)
            .flatMap(container -> paths(container.service()).stream())
            .distinct()
            .toList();
    if (known.stream().noneMatch(one -> said.equals(one) || said.startsWith(one + "/"))) {
      faults.add(resource.id() + ": expected a path of " + known + ", found " + said);
    }
  }

  /// Returns the paths for callers. The paths of OpenPath are only for probes and metrics in the
  /// cluster.
  private static List<String> paths(PopulatorService service) {
    return service.equals(PopulatorService.HTTP_UPLOAD) ? List.of(UPLOAD, VOLUME) : List.of(VOLUME);
  }
}
