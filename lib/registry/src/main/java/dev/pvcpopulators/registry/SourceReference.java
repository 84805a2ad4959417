package dev.pvcpopulators.registry;

import com.google.cloud.tools.jib.api.ImageReference;
import com.google.cloud.tools.jib.api.InvalidImageReferenceException;
import com.google.cloud.tools.jib.registry.RegistryAliasGroup;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/// The location of an image, in the notation of skopeo.
public sealed interface SourceReference {
  /// Maximum length of a reference in characters.
  int MAX_LENGTH = 4_096;

  /// The accepted forms of a reference, for messages.
  String FORMS =
      "an image reference [docker://]REGISTRY/REPOSITORY[:TAG|@DIGEST],"
          + " oci:DIRECTORY[:REFERENCE], oci-archive:FILE[:REFERENCE] or"
          + " docker-archive:FILE[:REFERENCE]";

  /// The optional prefix of a reference to an image in a registry.
  String REMOTE = "docker://";

  /// Transports of containers-transports(5) that are not supported. If [#parse] did not refuse
  /// these transports, [#parse] would read a reference such as `dir:NAME` as the image `dir` on
  /// Docker Hub with the tag `NAME`. That image on Docker Hub may belong to another party.
  Pattern OTHER_TRANSPORT =
      Pattern.compile("(containers-storage|dir|docker-daemon|ostree|sif|tarball):");

  /// `docker://REGISTRY/REPOSITORY[:TAG][@DIGEST]`. Missing parts get the same values as in Docker:
  /// the registry of Docker Hub; on Docker Hub, the prefix `library/`; and the tag `latest`, if the
  /// text has neither a tag nor a digest.
  ///
  /// @param registry the host as written, with the port if one is given; `registry-1.docker.io` if
  ///   no host is given
  /// @param repository the path of the repository in the registry
  /// @param tag the tag; empty if only a digest was given
  /// @param digest the required digest of the manifest or index; takes precedence over the tag.
  ///   Empty if no digest was given
  record Remote(String registry, String repository, Optional<String> tag, Optional<Digest> digest)
      implements SourceReference {
    /// Returns the last part of the manifest's URL: the digest, or else the tag, or else `latest`.
    public String qualifier() {
      return digest.map(Digest::toString).or(this::tag).orElse("latest");
    }

    @Override
    public String toString() {
      return REMOTE
          + registry
          + "/"
          + repository
          + tag.map(name -> ":" + name).orElse("")
          + digest.map(name -> "@" + name).orElse("");
    }
  }

  /// The format in which a [Local] image is stored.
  enum Transport {
    /// `oci:DIRECTORY`, a directory with an OCI image layout.
    LAYOUT("oci"),
    /// `oci-archive:FILE`, a tar of an OCI image layout.
    LAYOUT_ARCHIVE("oci-archive"),
    /// `docker-archive:FILE`, the format of `docker save`.
    DOCKER_ARCHIVE("docker-archive");

    private final String word;

    Transport(String word) {
      this.word = word;
    }

    @Override
    public String toString() {
      return word;
    }
  }

  /// `TRANSPORT:PATH[:REFERENCE]`, an image in files of this machine. In a layout, `REFERENCE` is a
  /// name, `@DIGEST` or `@POSITION`; in an archive of `docker save`, a name or `@POSITION`.
  ///
  /// @param name `REFERENCE`; if empty, the only image in the layout or archive is selected
  record Local(Transport transport, Path path, Optional<String> name) implements SourceReference {
    /// Splits a text at its first colon into a path and a name, as skopeo does.
    private static Local of(Transport transport, String text) {
      int colon = text.indexOf(':');
      String path = colon < 0 ? text : text.substring(0, colon);
      Optional<String> name = colon < 0 ? Optional.empty() : Optional.of(text.substring(colon + 1));
      if (path.isEmpty() || name.equals(Optional.of(""))) {
        throw new IllegalArgumentException("Expected PATH or PATH:REFERENCE after the transport");
      }
      try {
        return new Local(transport, Path.of(path), name);
      } catch (InvalidPathException e) {
        throw new IllegalArgumentException("Expected a path after the transport", e);
      }
    }

    @Override
    public String toString() {
      return transport + ":" + path + name.map(it -> ":" + it).orElse("");
    }
  }

  /// Parses a reference. A reference without a transport means `docker://`.
  ///
  /// @throws IllegalArgumentException if the text is not a valid reference; the message states the
  ///   expected form
  static SourceReference parse(String text) {
    if (text.length() > MAX_LENGTH || text.isBlank()) {
      throw new IllegalArgumentException(
          "Expected an image reference of 1 to " + MAX_LENGTH + " characters");
    }
    for (Transport transport : Transport.values()) {
      if (text.startsWith(transport + ":")) {
        return Local.of(transport, text.substring(transport.word.length() + 1));
      }
    }
    if (OTHER_TRANSPORT.matcher(text).lookingAt()) {
      throw new IllegalArgumentException(
          "Expected " + FORMS + "; for an image with the name of a transport, docker://NAME");
    }
    return remote(text.startsWith(REMOTE) ? text.substring(REMOTE.length()) : text);
  }

  private static Remote remote(String text) {
    try {
      ImageReference parsed = ImageReference.parse(text);
      String repository = parsed.getRepository();
      // If the first component of a reference has no dot and no port, and is not "localhost", Jib
      // parses it as part of the repository, but accepts capital letters in that component.
      if (!repository.equals(repository.toLowerCase(Locale.ROOT))) {
        throw new IllegalArgumentException(
            "Expected " + FORMS + ", with a repository in small letters");
      }
      return new Remote(
          parsed.getRegistry(),
          completed(parsed.getRegistry(), repository),
          parsed.getTag(),
          parsed.getDigest().map(Digest::parse));
    } catch (InvalidImageReferenceException e) {
      throw new IllegalArgumentException("Expected " + FORMS, e);
    }
  }

  /// Returns the full repository name: on Docker Hub, a name of one component means a repository
  /// below `library`. Jib adds `library` to a name without a registry, but not to
  /// `docker.io/debian`.
  private static String completed(String registry, String repository) {
    boolean hub =
        RegistryAliasGroup.getAliasesGroup(registry.toLowerCase(Locale.ROOT)).contains("docker.io");
    return hub && repository.indexOf('/') < 0 ? "library/" + repository : repository;
  }
}
