package dev.pvcpopulators.it.image;

/// The two families of media types for container images.
public enum Family {
  OCI(
      "application/vnd.oci.image.manifest.v1+json",
      "application/vnd.oci.image.index.v1+json",
      "application/vnd.oci.image.config.v1+json"),
  DOCKER(
      "application/vnd.docker.distribution.manifest.v2+json",
      "application/vnd.docker.distribution.manifest.list.v2+json",
      "application/vnd.docker.container.image.v1+json");

  private final String manifest;
  private final String index;
  private final String config;

  Family(String manifest, String index, String config) {
    this.manifest = manifest;
    this.index = index;
    this.config = config;
  }

  public String manifest() {
    return manifest;
  }

  public String index() {
    return index;
  }

  public String config() {
    return config;
  }
}
