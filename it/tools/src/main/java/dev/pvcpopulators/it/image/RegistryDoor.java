package dev.pvcpopulators.it.image;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pvcpopulators.it.Command;
import dev.pvcpopulators.it.PrivateAuthority;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/// The protocol and the access control of a registry.
///
/// @param certificate the certificate for HTTPS; null for plain HTTP
/// @param auth the section `auth` of the registry's configuration; empty for no access control
public record RegistryDoor(PrivateAuthority.@Nullable Issued certificate, ObjectNode auth) {
  /// Returns the settings for plain HTTP without access control.
  public static RegistryDoor open() {
    return new RegistryDoor(null, JsonNodeFactory.instance.objectNode());
  }

  public RegistryDoor tls(PrivateAuthority.Issued issued) {
    return new RegistryDoor(issued, auth);
  }

  /// Returns a copy that requires the password of one user (HTTP Basic). Writes the file `htpasswd`
  /// with a bcrypt hash, because docker-registry accepts no other kind of hash.
  public RegistryDoor basic(Path directory, String user, String password) throws IOException {
    Path file = directory.resolve("htpasswd");
    Files.writeString(file, Command.run("htpasswd", "-nbB", "-C", "5", user, password));
    ObjectNode section = JsonNodeFactory.instance.objectNode();
    section.putObject("htpasswd").put("realm", "disks").put("path", file.toString());
    return new RegistryDoor(certificate, section);
  }

  /// Returns a copy that requires tokens from a separate server.
  public RegistryDoor token(TokenServer server) {
    ObjectNode section = JsonNodeFactory.instance.objectNode();
    section
        .putObject("token")
        .put("realm", server.realm().toString())
        .put("service", TokenServer.SERVICE)
        .put("issuer", TokenServer.ISSUER)
        .put("rootcertbundle", server.certificate().toString());
    return new RegistryDoor(certificate, section);
  }
}
